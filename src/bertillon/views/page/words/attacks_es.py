"""What is said of attacks in Spanish."""

from __future__ import annotations

ATTACKS = {
    "title.attacks": "Informe de ataques",
    "title.pad": "Informe de detección de ataques",
    "section.attacks": "Ataques",
    "summary.attacks": (
        "Se hicieron {attacks} ataques de {species} especies a {name}; una puntuación {sign} {threshold} se acepta "
        "({how})."
    ),
    "summary.pad": (
        "Se juzgaron {attacks} ataques de {species} especies y {others} presentaciones auténticas; una puntuación "
        "{sign} {threshold} se toma por auténtica ({how})."
    ),
    "attacks.given": "umbral dado",
    "attacks.fixed": "umbral de {promise}",
    "attacks.chart": "Puntuaciones de cada población, umbral {threshold}",
    "attacks.some": ": las {n} peores especies",
    "attacks.chart.summary": "Densidades de las puntuaciones de cada población. {measure} por especie: {rates}.",
    "attacks.density": "Densidad",
    "attacks.bona_fide": "auténticas",
    "attacks.caption": "Ataques por especie, de la peor a la mejor",
    "attacks.species": "especie",
    "attacks.through.attacks": "aceptados",
    "attacks.through.pad": "tomados por auténticos",
    "attacks.silent": "sin respuesta",
    "attacks.others": "Quienes no atacan",
    "attacks.IAPAR": "ataques aceptados, de la peor especie: {species}",
    "attacks.APCER": "ataques tomados por auténticos, de la peor especie: {species}",
    "attacks.FMR": "impostores aceptados que solo lo intentan",
    "attacks.FRR": "usuarios genuinos rechazados, fallos incluidos",
    "attacks.RIAPAR": "IAPAR de la peor especie + FRR",
    "attacks.BPCER": "presentaciones auténticas tomadas por ataques",
    "attacks.BPNRR": "presentaciones auténticas sin respuesta",
    "attacks.BPCER@APCER": "donde ninguna especie tiene un APCER mayor que {percent}",
    "attacks.bound": (
        "Donde no se vio ningún error la tasa se muestra como cota: con un 95 % de confianza es menor que 3 / "
        "ensayos (regla del 3)."
    ),
    "notes.attacks": (
        "IAPAR es la parte de las presentaciones de ataque de una especie que se aceptan; una sin respuesta cuenta "
        "como no aceptada. Las especies nunca se suman: un sistema es tan seguro como la peor. RIAPAR es ese IAPAR + "
        "FRR, atacantes admitidos y usuarios genuinos excluidos. Una puntuación igual al umbral se acepta."
    ),
    "notes.pad": (
        "APCER es la parte de las presentaciones de ataque de una especie tomadas por auténticas, BPCER la de las "
        "auténticas tomadas por ataques, entre las clasificadas. Las especies nunca se suman: un detector vale lo "
        "que la peor. Una puntuación igual al umbral se toma por auténtica."
    ),
    "advice.attack_none": "Ningún ataque pasó.",
    "advice.attack_worst": "Peor especie: {species}, {name} {value}.",
    "advice.attack_met": (
        "{level} (IAPAR como mucho {limit}): alcanzado, extremos superiores de los intervalos incluidos."
    ),
    "advice.attack_not_met": "{level} (IAPAR como mucho {limit}): no alcanzado.",
    "advice.attack_unknown": (
        "{level} (IAPAR como mucho {limit}): alcanzado por lo visto, no demostrado: el intervalo no se conoce."
    ),
    "advice.attack_seen": (
        "{level} (IAPAR como mucho {limit}): alcanzado por lo visto, no demostrado: el intervalo llega a {end}."
    ),
    "advice.attack_acer": "ACER {value}: una media de dos errores, que ISO/IEC 30107-3 no favorece.",
    "advice.attack_few_more": (
        "{name} {rate} necesita al menos {needed} ataques independientes de {species}; aquí hay {trials} (otras {n} "
        "especies tienen muy pocos)."
    ),
    "advice.attack_few": (
        "{name} {rate} necesita al menos {needed} ataques independientes de {species}; aquí hay {trials}."
    ),
    "advice.attack_fmr": (
        "FMR {rate} necesita al menos {needed} comparaciones de impostores independientes; aquí hay {trials}."
    ),
    "advice.attack_lower": (
        "Las presentaciones bona fide puntúan más bajo que los ataques (AUC {auc}). "
        "O una puntuación baja significa bona fide (--distance), "
        "o las etiquetas significan lo contrario (--values attack=1,bonafide=0)."
    ),
    "advice.attack_higher": (
        "Las presentaciones bona fide puntúan más alto que los ataques (AUC {auc}). "
        "O una puntuación alta significa bona fide (--similarity), "
        "o las etiquetas significan lo contrario (--values attack=1,bonafide=0)."
    ),
    "advice.attack_optimistic": (
        "El umbral se halló con estas mismas presentaciones, así que las tasas son optimistas: fíjelo con otras."
    ),
    "advice.attack_independent": (
        "Las presentaciones se toman como independientes; si algunas son de una misma persona o de un mismo "
        "instrumento, los intervalos son demasiado estrechos (una columna 'subject' lo remedia)."
    ),
}
