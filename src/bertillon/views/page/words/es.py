"""The page in Spanish."""

from __future__ import annotations

from bertillon.views.page.words.advice_es import ADVICE
from bertillon.views.page.words.attacks_es import ATTACKS
from bertillon.views.page.words.samples_es import SAMPLES

SENTENCES = {
    **ADVICE,
    **ATTACKS,
    **SAMPLES,
    # signs
    "group": "\u202f",
    "comma": ", ",
    "to": " a ",
    "of": "{part} de {whole}",
    "more": " y {n} más",
    "undefined": "no definido",
    "unnamed": "el sistema",
    "all": "todos",
    "threshold.rejects": "rechaza todo",
    "threshold.accepts": "acepta todo",
    # the frame of the page
    "skip": "Ir al informe",
    "contents": "Contenido",
    "theme": "Tema",
    "noscript": "Los gráficos y el umbral necesitan JavaScript; todas las tablas y los textos están completos sin él.",
    "made": "Hecho con bertillon {version}. Nada en este archivo se carga de otro sitio.",
    "verdict": "Veredicto",
    "warnings": "Antes de fiarse de estos números",
    # titles and headings
    "title.verification": "Informe de verificación",
    "title.identification": "Informe de identificación",
    "title.classification": "Informe de clasificación",
    "title.modes": "Informe en varios modos",
    "mode.verification": "verificación",
    "mode.identification": "identificación",
    "mode.classification": "clasificación",
    "section.verification": "Verificación",
    "section.identification": "Identificación",
    "section.classification": "Clasificación",
    "section.comparison": "Comparación",
    "section.notes": "Cómo leer esta página",
    "section.signature": "Firma",
    "section.data": "Datos",
    # what was measured on what
    "summary.verification": (
        "{names} se midió en verificación (1:1) con {mated} comparaciones genuinas (misma persona) y {nonmated} de "
        "impostores (personas distintas)."
    ),
    "summary.verification.many": (
        "{n} sistemas se midieron en verificación (1:1), cada uno con {mated} comparaciones genuinas y {nonmated} de "
        "impostores: {names}."
    ),
    "summary.failed": " Comparaciones fallidas: {n}.",
    "summary.identification": (
        "{names} se midió en identificación (1:N) con {enrolled} búsquedas de personas inscritas y {others} de otras, "
        "en una galería de {gallery} personas."
    ),
    "summary.identification.closed": (
        "{names} se midió en identificación de conjunto cerrado (1:N) con {enrolled} búsquedas en una galería de "
        "{gallery} personas."
    ),
    "summary.identification.many": (
        "{names} se midieron en identificación (1:N), cada uno con {enrolled} búsquedas de personas inscritas y "
        "{others} de otras, en una galería de {gallery} personas."
    ),
    "summary.identification.closed.many": (
        "{names} se midieron en identificación de conjunto cerrado (1:N), cada uno con {enrolled} búsquedas en una "
        "galería de {gallery} personas."
    ),
    "summary.classification": "{names} se midió en clasificación con {samples} muestras de {classes} clases.",
    "summary.classification.many": (
        "{names} se midieron en clasificación, cada uno con {samples} muestras de {classes} clases."
    ),
    "rule.similarity": (
        "Las puntuaciones son similitudes: una comparación se acepta cuando su puntuación alcanza el umbral."
    ),
    "rule.distance": (
        "Las puntuaciones son distancias: una comparación se acepta cuando su puntuación no pasa del umbral."
    ),
    # measures
    "interval": "intervalo del {level} %: {ends}",
    "interval.column": "intervalo del {level} %",
    "system": "sistema",
    "measure": "medida",
    "value": "valor",
    "threshold": "umbral",
    "errors": "errores",
    "everyday": "nombre corriente",
    "names.ml": "en aprendizaje automático",
    "names.biometric": "en biometría",
    "headline.caption": "Números principales",
    "measures.caption": "Todas las medidas",
    "measures.note": "Bajo cada valor están su intervalo y su umbral, si los hay.",
    "measures.bounds": (
        "Las puntuaciones se contaron por partes: estos valores se conocen solo entre límites y se muestra el peor: "
        "{bounds}."
    ),
    "band.pointwise": "sombreado: banda del {level} %, para cada punto por sí",
    "band.simultaneous": "sombreado: banda del {level} %, para toda la curva",
    "measures.open": "Conjunto abierto: no todos los buscados están inscritos",
    "measures.closed": "Conjunto cerrado: todos los buscados están inscritos",
    "measure.EER": "equal error rate: con un mismo umbral ambos errores tienen esta frecuencia",
    "measure.FNMR@FMR": "usuarios genuinos rechazados cuando se acepta como mucho el {percent} de los impostores",
    "measure.FMR@FNMR": "impostores aceptados cuando se rechaza como mucho el {percent} de los usuarios genuinos",
    "measure.FMR@t": "impostores aceptados con el umbral {x}",
    "measure.FNMR@t": "usuarios genuinos rechazados con el umbral {x}",
    "measure.ZeroFMR": "usuarios genuinos rechazados cuando no se acepta ningún impostor",
    "measure.ZeroFNMR": "impostores aceptados cuando no se rechaza a ningún usuario genuino",
    "measure.AUC": "probabilidad de que en una pareja el correcto puntúe mejor",
    "measure.dprime": "distancia entre las dos distribuciones de puntuaciones, en desviaciones típicas",
    "measure.RR": "la persona correcta es la primera",
    "measure.CMS": "la persona correcta está entre los primeros candidatos",
    "measure.MeanRank": "puesto medio de la persona correcta",
    "measure.nAUC": "área bajo la curva de rangos, 1 es lo mejor",
    "measure.DIR@FPIR": "personas inscritas encontradas cuando como mucho el {percent} de las demás da una alarma",
    "measure.EERopen": "con un mismo umbral pérdidas y falsas alarmas tienen esta frecuencia",
    "measure.AUCopen": "área bajo la curva de la lista de vigilancia",
    "measure.Accuracy": "muestras asignadas a su clase",
    "measure.BalancedAccuracy": "exhaustividad media de las clases",
    "measure.Precision": "correctos entre los llamados positivos",
    "measure.Recall": "positivos encontrados",
    "measure.Specificity": "negativos dejados en paz",
    "measure.F1": "media armónica de precisión y exhaustividad",
    "measure.MCC": "correlación entre decisiones y verdad",
    "measure.Kappa": "acuerdo más allá del azar",
    "measure.AP": "precisión media sobre todas las exhaustividades",
    "measure.LogLoss": "sorpresa ante lo ocurrido, en nats",
    "measure.Brier": "error cuadrático medio de las probabilidades",
    "measure.ECE": "diferencia media entre lo prometido y lo ocurrido",
    # verification
    "explore.verification": (
        "Mueva el umbral: arrastre la línea en un gráfico, use el deslizador o sus flechas, o salte a un punto con "
        "nombre. Todos los gráficos y números lo siguen. Cada número es exacto para el umbral que se indica a su lado."
    ),
    "expected.caption": "Qué esperar de {genuine} intentos genuinos y {impostor} de impostores al día",
    "expected.system": "sistema",
    "expected.point": "punto de operación",
    "expected.threshold": "umbral",
    "expected.FAR": "FAR",
    "expected.FRR": "FRR",
    "expected.accepts": "falsas aceptaciones al día",
    "expected.rejects": "falsos rechazos al día",
    "expected.cost": "coste al día",
    "development.caption": "Umbrales fijados con {there}, juzgados con {here}",
    "folds": (
        "{name}: exactitud sobre {n} particiones {mean} ± {error}, cada una con el umbral que es mejor en las demás."
    ),
    # identification
    "explore.identification": (
        "Mueva el umbral de la lista de vigilancia y vea cuántas personas inscritas se encuentran y cuántas alarmas "
        "dan quienes no están en la lista."
    ),
    "regions.caption": (
        "Cinco maneras de llevar la lista de vigilancia, con {passers} personas al día y {minutes} minutos por alarma"
    ),
    "regions.region": "región",
    "regions.target": "objetivo",
    "regions.threshold": "umbral",
    "regions.FPIR": "FPIR",
    "regions.DIR": "DIR",
    "regions.alarms": "falsas alarmas al día",
    "regions.hours": "horas de comprobación al día",
    "regions.misses": "personas perdidas al día",
    "regions.note": (
        "DIR: parte de las personas inscritas que se encuentran. FPIR: parte de las demás que dan una alarma."
    ),
    "regions.out": "fuera del alcance de este sistema",
    "regions.unseen": "demasiado pocas búsquedas para medir un FPIR tan bajo: es una cota",
    "cmc.title": "Rango de la persona correcta (CMC)",
    "cmc.summary": (
        "Parte de las búsquedas en que la persona correcta está entre los k primeros candidatos. En el rango 1: "
        "{first}."
    ),
    "cmc.rank": "Rango k",
    "cmc.rate": "Persona correcta hasta el rango k",
    # classification
    "explore.classification": (
        "Mueva el umbral desde el que una muestra se llama {positive}: arrastre la línea en un gráfico, use el "
        "deslizador o sus flechas, o salte a un punto con nombre."
    ),
    "confusion.caption": "Matriz de confusión: las filas son las clases verdaderas, las columnas las asignadas",
    "confusion.corner": "verdadera \\ asignada",
    "confusion.true": "clase verdadera",
    "confusion.predicted": "asignada",
    "confusion.count": "muestras",
    "confusion.worst": "Las {n} confusiones más frecuentes entre {classes} clases.",
    "class": "clase",
    "support": "muestras",
    "classes.caption": "Cada clase frente a las demás",
    "reliability.title": "Calibración",
    "reliability.summary": (
        "Con qué frecuencia ocurrió lo prometido, por probabilidad prometida. En la diagonal coinciden."
    ),
    "reliability.diagonal": "calibración perfecta",
    "reliability.promised": "Probabilidad prometida",
    "reliability.observed": "Ocurrido",
    "reliability.count": "{n} muestras",
    # comparison
    "comparison.caption": "False non-match rate con algunos false match rate",
    "comparison.some": "De {all} sistemas se comparan por pares los {n} mejores según {measure}.",
    "comparison.tied": "{first} y {second} tienen el mismo FNMR con cualquier FMR.",
    "comparison.dominates": (
        "{better} no es peor que {worse} en ningún punto y en alguno es mejor: domina con cualquier FMR."
    ),
    "comparison.below": "{name} tiene el FNMR más bajo por debajo de FMR {fmr}",
    "comparison.from": "{name} desde FMR {fmr}",
    "comparison.more": "y la ventaja cambia {n} veces más",
    "comparison.neither": "{parts}; ninguno es mejor en todas partes.",
    "comparison.note": "La tasa más baja de cada columna va en negrita.",
    "comparison.untested": (
        "La tasa más baja de cada columna va en negrita. Si una diferencia es más que azar lo dice una prueba pareada "
        "(bertillon compare)."
    ),
    "tested.caption": "Diferencias probadas con los mismos ensayos",
    "tested.unpaired": "Diferencias probadas entre sistemas no emparejados",
    "tested.note": (
        "Diferencia: segundo menos primero, en puntos porcentuales para las tasas. Los valores p están corregidos por "
        "todas las pruebas hechas a la vez (Holm)."
    ),
    "tested.first": "primero",
    "tested.second": "segundo",
    "tested.measure": "medida",
    "tested.first_value": "valor del primero",
    "tested.second_value": "valor del segundo",
    "tested.difference": "diferencia",
    "tested.interval": "intervalo",
    "tested.p": "p",
    # notes
    "notes.verification": (
        "FMR (false match rate) es la parte de las comparaciones entre personas distintas que se aceptan; FNMR (false "
        "non-match rate) la parte de las comparaciones de una misma persona que se rechazan. FAR y FRR son lo mismo "
        "para intentos completos: las comparaciones fallidas cuentan como rechazos. EER es la tasa en que ambas son "
        "iguales, en la recta entre umbrales vecinos. Una tasa con FMR = x se lee en el umbral más permisivo cuyo FMR "
        "es como mucho x."
    ),
    "notes.identification": (
        "DIR es la parte de las búsquedas de personas inscritas en que la persona correcta pasa el umbral y es la "
        "primera; FNIR = 1 - DIR. FPIR es la parte de las búsquedas de personas no inscritas en que alguien pasa el "
        "umbral. CMS(k) es la parte de las búsquedas cuya persona correcta está entre los k primeros."
    ),
    "notes.classification": (
        "FPR es la parte de los negativos llamados positivos, la exhaustividad (TPR) la parte de los positivos "
        "llamados así, la precisión la parte de los llamados positivos que lo son. ECE compara las probabilidades "
        "prometidas con lo ocurrido, en diez intervalos."
    ),
    "notes.names": (
        "FPR, FNR y exhaustividad del aprendizaje automático son FMR, FNMR y TMR de las comparaciones, y FPIR, FNIR y "
        "DIR de las búsquedas: las comparaciones genuinas y las búsquedas de personas inscritas son los positivos."
    ),
    "notes.ties": (
        "Una puntuación igual al umbral se acepta. Las puntuaciones iguales nunca se separan: solo son umbrales las "
        "puntuaciones distintas, y uno que lo rechaza todo. En una clasificación, quienes se parecen por igual van "
        "antes que la persona correcta."
    ),
    "notes.intervals": (
        "Un intervalo contiene la tasa verdadera de la población con la confianza indicada, si se vuelve a medir a "
        "personas como las medidas. Los números llevan las cifras que su intervalo sostiene."
    ),
    "notes.no_intervals": "No se pidieron intervalos: no se muestra cuán seguros son estos números.",
    "notes.naive": (
        "Algunos intervalos toman las comparaciones como independientes, porque no se sabe de quién son. Las "
        "comparaciones comparten personas, así que la verdad bien puede quedar fuera."
    ),
    "notes.bounds": (
        "Donde no se vio ningún error la tasa se muestra como cota: con el 95 % de confianza está por debajo de 3 / "
        "pruebas (regla del 3). En ejes logarítmicos y normales tal tasa está en medio error, y la línea marca un "
        "error."
    ),
    "notes.exact": (
        "Las curvas guardan unos dos mil umbrales cada una, elegidos de modo que no se vea diferencia, además de todos "
        "los puntos con nombre y de todos los umbrales que podrían costar menos. El deslizador se mueve entre ellos; "
        "en cada uno los recuentos y las tasas son exactamente los de los datos."
    ),
    "notes.use": (
        "Los errores esperados al día son las tasas por los intentos escritos; el coste es la suma de ambos errores "
        "por lo que cuesta cada uno. Valen en la medida en que las personas y condiciones de uso sean las de la prueba."
    ),
    # signature and data
    "signature.caption": "Lo que hace falta para volver a obtener los mismos números",
    "signature.what": "qué",
    "signature.is": "es",
    "signature.of": "de",
    "data.words": "Todos los números de esta página, curvas y respuestas, con toda su precisión:",
    "data.json": "Descargar en JSON",
    "data.csv": "Descargar las curvas en CSV",
    # tables
    "copy": "Copiar",
    "live.copied": "Copiado en {format}.",
    "copy.failed": "Aquí no se permite copiar; copie el texto de este cuadro:",
    "close": "Cerrar",
    # controls
    "control.threshold": "Umbral",
    "control.typed": "umbral exacto",
    "control.points": "Saltar a",
    "control.cheapest": "coste mínimo",
    "control.curve": "Curva",
    "control.axes": "Ejes",
    "control.linear": "lineales",
    "control.log": "log",
    "control.normal": "normales",
    "control.systems": "Sistemas",
    "control.lead": "El umbral es el de",
    "control.follow": "Los demás sistemas están",
    "control.same_rate": "con el mismo {rate} o menos",
    "control.same_threshold": "en el mismo umbral",
    "control.use": "En uso",
    "control.genuine": "intentos genuinos al día",
    "control.impostor": "intentos de impostores al día",
    "control.cost_accept": "coste de una falsa aceptación",
    "control.cost_reject": "coste de un falso rechazo",
    "control.positive": "positivos al día",
    "control.negative": "negativos al día",
    "control.cost_fp": "coste de un falso positivo",
    "control.cost_fn": "coste de un positivo perdido",
    "control.passers": "personas al día",
    "control.minutes": "minutos para comprobar una alarma",
    "control.on_list": "parte que está en la lista",
    "control.numbers": "Con este umbral",
    # what the script says
    "live.group": "\u202f",
    "live.of": "{part} de {whole}",
    "live.to": " a ",
    "live.independent": "Los intervalos del {level} % toman aquí los ensayos como independientes.",
    "live.shared": (
        "Estos números no llevan intervalos: los ensayos comparten personas, y lo que eso supone en cada umbral no se "
        "guarda en esta página. Las tablas tienen intervalos en los puntos con nombre."
    ),
    "live.accept_from": "se acepta si puntuación ≥ t",
    "live.accept_to": "se acepta si puntuación ≤ t",
    "live.rejects_all": "rechaza todo",
    "live.kept": "uno de los {n} umbrales guardados en esta página",
    "live.whole": "uno de {n} umbrales, todos los que hay",
    "live.moved": "{typed} está entre dos umbrales guardados; se muestra el siguiente más estricto",
    "live.bad_number": "se espera un número, 0 o más, con punto decimal",
    "live.bad_share": "se espera una parte de 0 a 1, con punto decimal",
    "live.bad_threshold": "se espera un número, con punto decimal",
    "live.reading": "umbral {threshold}: {matched} {matched_rate}, {missed} {missed_rate}",
    "live.threshold": "umbral",
    "live.score": "Puntuación",
    "live.density": "Parte de las puntuaciones",
    "live.cost": "Coste al día",
    "live.cost_title": "Coste por umbral",
    "live.rates_title": "Errores por umbral",
    "live.scores_title": "Puntuaciones",
    "live.pr_title": "Precisión y exhaustividad",
    "live.rate": "Tasa",
    "live.system": "sistema",
    "live.floor": "un error",
    "live.sorted": "Ordenado por {column}.",
    "live.unsorted": "En el orden del informe.",
    "live.theme.auto": "del sistema",
    "live.theme.light": "claro",
    "live.theme.dark": "oscuro",
    "live.verification.matched": "FMR",
    "live.verification.missed": "FNMR",
    "live.verification.found": "TMR",
    "live.verification.matched_words": "False match rate (FMR, FAR)",
    "live.verification.missed_words": "False non-match rate (FNMR, FRR)",
    "live.verification.found_words": "True match rate (TMR, GAR)",
    "live.verification.mated": "genuinos (misma persona)",
    "live.verification.nonmated": "impostores",
    "live.verification.day_matched": "falsas aceptaciones al día",
    "live.verification.day_missed": "falsos rechazos al día",
    "live.verification.cost": "coste al día",
    "live.identification.matched": "FPIR",
    "live.identification.missed": "FNIR",
    "live.identification.found": "DIR",
    "live.identification.matched_words": "Falsas alarmas de otros (FPIR)",
    "live.identification.missed_words": "Inscritos no encontrados (FNIR)",
    "live.identification.found_words": "Inscritos encontrados (DIR)",
    "live.identification.mated": "persona correcta, inscrita",
    "live.identification.nonmated": "mejor candidato de los demás",
    "live.identification.day_matched": "falsas alarmas al día",
    "live.identification.day_missed": "personas perdidas al día",
    "live.identification.hours": "horas de comprobación al día",
    "live.classification.matched": "FPR",
    "live.classification.missed": "FNR",
    "live.classification.found": "exhaustividad",
    "live.classification.precision": "precisión",
    "live.classification.matched_words": "False positive rate (FPR)",
    "live.classification.missed_words": "False negative rate (FNR)",
    "live.classification.found_words": "Exhaustividad (TPR)",
    "live.classification.precision_words": "Precisión (PPV)",
    "live.classification.mated": "positivos",
    "live.classification.nonmated": "negativos",
    "live.classification.day_matched": "falsos positivos al día",
    "live.classification.day_missed": "positivos perdidos al día",
    "live.classification.cost": "coste al día",
}
