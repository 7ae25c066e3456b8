"""The sentences and words of the advice layer in Spanish."""

from __future__ import annotations

ADVICE = {
    "advice.eer": "EER {eer} %: {band}.",
    "advice.eer_open": "EERopen {eer} %: {band}.",
    "advice.unknown": "EER desconocido.",
    "advice.unknown_open": "EERopen desconocido.",
    "advice.degradation": (
        "EERopen {opened} % es {times} veces el EER de verificación, {eer} %: {word} (de {low} a {high} veces)."
    ),
    "advice.degradation_unknown": (
        "EERopen no se puede comparar con el EER de verificación: uno de los dos es cero o desconocido."
    ),
    "advice.frr": "FPIR {fpir}: FNIR {total} = {missed} no detectados + {wrong} mal identificados: {words}.",
    "advice.frr_unknown": "FPIR {fpir}: FNIR no se puede dividir: es desconocido.",
    "advice.met": (
        "{preset}: se cumple. {name} es {value} % con el umbral {threshold}; {promise} debería costar como mucho el "
        "{most} % {price}."
    ),
    "advice.not_met": (
        "{preset}: no se cumple. {name} es {value} % con el umbral {threshold}; {promise} debería costar como mucho el "
        "{most} % {price}."
    ),
    "advice.auc": "AUC {value}: {band}.",
    "advice.kappa": "Kappa {value}: {band}.",
    "advice.resolution": (
        "{place} {target} necesita al menos {needed} comparaciones {kind} independientes (regla del 3); aquí hay "
        "{trials}. Lo que figura ahí es una cota, no una medida."
    ),
    "advice.resolution_searches": (
        "FPIR {target} necesita al menos {needed} búsquedas independientes de personas no inscritas (regla del 3); "
        "aquí hay {trials}. Lo que figura ahí es una cota, no una medida."
    ),
    "advice.few": "menos de 30 errores, así que la tasa verdadera bien puede diferir un 30 % (regla del 30): {names}.",
    "advice.failed": (
        "{failed} comparaciones fallidas ({mated} genuinas, {nonmated} de impostores) quedan fuera de FMR y FNMR; FAR "
        "y FRR las cuentan."
    ),
    "advice.failed_searches": (
        "{failed} búsquedas no dieron puntuación ({enrolled} de inscritos, {others} de otros) y quedan fuera de todas "
        "las tasas."
    ),
    "advice.direction_similarity": (
        "El AUC está por debajo de 0.5: las puntuaciones genuinas son más bajas que las de impostores. O son "
        "distancias (--distance, rule='distance'), o las puntuaciones genuinas y las de impostores están "
        "intercambiadas. No se invirtió nada."
    ),
    "advice.direction_distance": (
        "El AUC está por debajo de 0.5: las distancias genuinas son mayores que las de impostores. O son similitudes "
        "(--similarity, rule='similarity'), o las puntuaciones genuinas y las de impostores están intercambiadas. "
        "No se invirtió nada."
    ),
    "advice.chance": "CMS@{rank} de {people} personas: {share} lo alcanza también una lista sacada al azar.",
    "advice.tuned": (
        "{name} eligió su umbral con estos mismos datos, lo que lo favorece; juzgue ese umbral con otros (@t=)."
    ),
    "advice.llr": (
        "{name} es {value}, más de 1: tomadas como razones de log-verosimilitud estas puntuaciones son peores que no "
        "responder. Calíbrelas antes."
    ),
    "advice.one_error": "{name} habla de un solo error, y el otro lo paga: pida también {other}@t=.",
    "advice.alone": "{name} por sí solo oculta el intercambio entre errores; ponga al lado un punto, como {other}.",
    "advice.alone_searches": "{name} por sí solo oculta intercambios; ponga al lado otro número, como {other}.",
    "advice.alone_class": "{name} por sí solo oculta intercambios; ponga al lado una medida complementaria.",
    "advice.blind": (
        "{n} búsquedas de personas no inscritas no están en ninguna de estas medidas: DIR@FPIR=0.01 las cuenta."
    ),
    "advice.unlike": "{first} se midió con {a}, {second} con {b}: parte de la diferencia puede venir de los datos.",
    "advice.no_interval": "estos son números sin intervalos; no se muestra cuán seguros son.",
    "advice.reversed_class": (
        "El AUC está por debajo de 0.5: los positivos puntúan menos que los negativos. Si las puntuaciones hablan por "
        "la otra clase, dígalo con positive=; no se invirtió nada."
    ),
    "advice.skewed_class": (
        "la clase mayor tiene el {share} de las muestras: nombrarla siempre daría una exactitud de {accuracy}. Lea en "
        "su lugar exactitud equilibrada, MCC, precisión y exhaustividad."
    ),
    "advice.dummy": "la exactitud {accuracy} no es mejor que nombrar siempre la clase mayor ({share}).",
    "advice.one_class": "la verdad es de una sola clase, así que casi todas las medidas no están definidas.",
    "advice.tuned_class": (
        "un umbral se eligió con estos mismos datos: lo que da aquí es mejor de lo que dará en otra parte. Elíjalo con "
        "otros datos y léalo aquí con t=."
    ),
    "advice.tuned_class_named": (
        "un umbral se eligió con estos mismos datos ({names}): lo que da aquí es mejor de lo que dará en otra parte. "
        "Elíjalo con otros datos y léalo aquí con t=."
    ),
    "advice.uncalibrated": (
        "hay probabilidades y ninguna medida de su calibración; un AUC alto no responde por ellas (ECE)."
    ),
    "advice.ece": "el ECE es {value}: las probabilidades están lejos de lo ocurrido; calíbrelas antes.",
    "advice.impossible": (
        "{n} muestras tenían probabilidad 0 para lo ocurrido, así que LogLoss es infinita (LogLoss[clipped] es finita)."
    ),
    "advice.few_samples": "menos de {few} muestras de {names}: las tasas de estas clases dicen poco.",
    "term.excellent": "excelente",
    "term.good": "bueno",
    "term.acceptable": "aceptable",
    "term.acceptable where errors are not critical": "aceptable donde los errores no son críticos",
    "term.weak": "débil",
    "term.poor": "malo",
    "term.poor: not usable as it is": "malo: no utilizable tal como está",
    "term.unknown": "desconocido",
    "term.perfect": "perfecto",
    "term.none": "ninguna capacidad",
    "term.reversed: worse than chance": "invertido: peor que el azar",
    "term.worse than chance": "peor que el azar",
    "term.slight": "leve",
    "term.fair": "aceptable",
    "term.moderate": "moderado",
    "term.substantial": "sustancial",
    "term.almost perfect": "casi perfecto",
    "term.as usual": "como de costumbre",
    "term.less than usual": "menos de lo habitual",
    "term.more than usual": "más de lo habitual",
    "term.mated": "genuinas",
    "term.non-mated": "de impostores",
    "term.of genuine users rejected": "de usuarios genuinos rechazados",
    "term.of impostors accepted": "de impostores aceptados",
    "term.every enrolled person is identified": "toda persona inscrita se identifica",
    "term.a problem of detection; a more permissive threshold helps, at the price of false alarms": (
        "un problema de detección; ayuda un umbral más permisivo, a costa de falsas alarmas"
    ),
    "term.a problem of identification; only a matcher that tells people apart better helps": (
        "un problema de identificación; solo ayuda un comparador que distinga mejor a las personas"
    ),
    "term.both weigh; work on the threshold and on the matcher": "ambos pesan; trabaje en el umbral y en el comparador",
    "term.extremely low false alarm": "falsas alarmas bajísimas",
    "term.extremely high detection": "detección altísima",
    "term.low false alarm, moderate detection": "pocas falsas alarmas, detección moderada",
    "term.high detection, moderate false alarm": "detección alta, falsas alarmas moderadas",
    "term.no threshold": "sin umbral",
    "term.all searches are looked through": "se revisan todas las búsquedas",
    "term.no mated scores": "ninguna puntuación genuina",
    "term.no non-mated scores": "ninguna puntuación de impostores",
    "advice.better": (
        "{second} es mejor que {first}: {measure} {b} frente a {a}, {size} {way} (intervalo del {level} de {low} a "
        "{high}), p = {p}."
    ),
    "advice.worse": (
        "{second} es peor que {first}: {measure} {b} frente a {a}, {size} {way} (intervalo del {level} de {low} a "
        "{high}), p = {p}."
    ),
    "advice.apart": (
        "{second} y {first} no se distinguen: {measure} {b} frente a {a}, p = {p}; para verla cuatro veces de cinco "
        "una diferencia verdadera debe ser de unos {size}."
    ),
    "advice.same": "{first} y {second} dan siempre las mismas puntuaciones: nada los distingue.",
    "advice.unpaired": (
        "los sistemas se comparan como no emparejados, cada uno remuestreado por sí: si juzgaron a las mismas personas "
        "o los mismos ensayos, una comparación emparejada vería diferencias menores."
    ),
    "advice.naive_pairs": (
        "se remuestrearon {units}: donde varios son de una persona, los intervalos y los valores p son demasiado "
        "pequeños."
    ),
    "advice.few_resamples": (
        "{tests} pruebas a la vez no pueden alcanzar p = {alpha} con {resamples} remuestreos, sean cuales sean los "
        "datos; use --resamples {needed}."
    ),
    "term.more": "más",
    "term.less": "menos",
    "term.points": "puntos",
}
