"""What is said of samples and people in Spanish: quality, who causes the errors, and groups."""

from __future__ import annotations

SAMPLES = {
    "section.discard": "Calidad",
    "section.people": "Personas",
    "section.groups": "Grupos de personas",
    # errors left when low quality is discarded
    "discard.words": (
        "Las comparaciones de menor calidad se descartan primero, según {quality}; el umbral sigue siendo el del "
        "EER, {threshold}. Una calidad que no dice nada de los errores los deja como están."
    ),
    "discard.chart": (
        "Las líneas discontinuas son el menor error posible, si cada comparación descartada fuera un error."
    ),
    "discard.lower": "la menor de {columns}",
    "discard.raised": "Descartar eleva {kind}: ¿es bueno un número bajo en {columns}? Entonces cambie su signo.",
    "discard.title": "Errores que quedan al descartar la calidad baja",
    "discard.summary": "{kind}: {start} con todas las comparaciones, {end} al descartar {share}.",
    "discard.x": "Descartadas, de menor calidad",
    "discard.y": "Tasa de error de las restantes",
    "discard.best": "lo mejor posible",
    "discard.step": "calidad desde {quality}: {errors}",
    "discard.caption": "Lo que queda de cada error",
    "discard.error": "error",
    "discard.discarded": "descartadas",
    "discard.rate": "tasa",
    "discard.kept": "de las restantes",
    "discard.quality": "calidad desde",
    "discard.areas": "Área bajo la curva hasta {limit} de descarte: menor es mejor",
    "discard.measured": "medida",
    "discard.difference": "diferencia",
    "discard.random": "al azar",
    # who causes the errors
    "people.words": (
        "Los errores no recaen en todas las personas por igual. Las personas se ordenan, así que hay cabras, "
        "corderos y lobos en toda prueba: si eso significa algo lo dicen las pruebas estadísticas."
    ),
    "people.chart": (
        "Cada punto es una persona: a la derecha la media de sus puntuaciones consigo misma, hacia arriba la media "
        "con otras. Quienes están en el cuarto extremo de ambas tienen color, los demás son grises."
    ),
    "people.title": "Cada persona por dos medias",
    "people.summary": "{people} personas. Extremas de dos maneras: {found}.",
    "people.similarity": "similitud",
    "people.distance": "distancia",
    "people.own": "Media de {score} consigo",
    "people.others": "Media de {score} con otros",
    "people.behind": "otros",
    "people.shaded": "sombreado: el cuarto extremo de ambas maneras",
    "people.unseen": "Personas sin dibujar, por no tener media finita: {n}.",
    "people.some": "De muchísimas personas se dibujan solo algunas, a pasos iguales; las tablas las cuentan todas.",
    "people.animal": "animal",
    "people.people": "personas",
    "people.share": "parte de los errores",
    "people.differ": "¿difieren las personas?",
    "people.expected": "por azar",
    "people.more": "¿más que por azar?",
    "people.who": "quiénes",
    "people.yes": "sí",
    "people.no": "no",
    "people.spreads": (
        "Extremas de una manera: el {share} extremo de las personas cada una (umbral del EER {threshold})"
    ),
    "people.spreads.note": (
        "La prueba de Kruskal y Wallis toma las comparaciones como independientes. Algo más que su parte de los "
        "errores es suerte, pues a las personas las eligen las mismas puntuaciones que yerran."
    ),
    "people.corners": "Extremas de dos maneras: el cuarto extremo de ambas medias",
    "people.corners.note": (
        "La probabilidad exacta de tantas personas si ambas medias no tienen nada que ver entre sí, ajustada por "
        "cuatro esquinas (Holm)."
    ),
    "people.names": "Los {n} más extremos de cada uno",
    "people.names.note": "Entre paréntesis la puntuación media que los hace tales.",
    "people.goat": "cabras",
    "people.lamb": "corderos",
    "people.wolf": "lobos",
    "people.dove": "palomas",
    "people.chameleon": "camaleones",
    "people.phantom": "fantasmas",
    "people.worm": "gusanos",
    "people.goat.words": "difíciles de reconocer",
    "people.lamb.words": "fáciles de imitar",
    "people.wolf.words": "buenos imitadores",
    "people.dove.words": "parecidos a sí mismos y no a otros: sin problemas",
    "people.chameleon.words": "parecidos a todos",
    "people.phantom.words": "parecidos a nadie",
    "people.worm.words": "distintos de sí mismos, parecidos a otros: ambos errores",
    "people.goat.errors": "de los falsos rechazos",
    "people.lamb.errors": "de las falsas aceptaciones",
    "people.wolf.errors": "de las falsas aceptaciones",
    "advice.few_people": "{n} personas tienen puntuaciones consigo y con otras; se necesitan al menos {least}",
    "advice.few_tries": "menos de dos personas con {least} comparaciones o más",
    "advice.equal_scores": "todas las puntuaciones son iguales",
    # errors by group
    "groups.words": (
        "Todos los grupos se juzgan con el mismo umbral. FNMR es el de las personas de un grupo; FMR el de dos "
        "personas de un grupo, o de una persona de cada uno de dos grupos. Donde los intervalos se solapan mucho, "
        "una diferencia puede ser suerte."
    ),
    "groups.title": "{kind} por grupo, {point} (umbral {threshold})",
    "groups.some": "{title}: los {n} más altos de {all}",
    "groups.summary": "{kind} de cada grupo: {rates}.",
    "groups.axis": "{kind}; líneas: intervalos del {level} %",
    "groups.caption": "Errores por grupo, {point} (umbral {threshold})",
    "groups.group": "grupo",
    "groups.error": "error",
    "groups.people": "personas",
    "groups.rate": "tasa",
    "groups.pair": "{one} con {other}",
    "groups.naive": "* comparaciones tomadas como independientes: muy pocas se guardaron con sus personas.",
    "groups.no_interval": "Sin intervalo: {reason}.",
    "groups.hidden": "Parejas de grupos con menor FMR que no figuran aquí: {n}.",
    "groups.across": "{kind} de cada dos grupos, {point} (umbral {threshold})",
    "groups.apart": "Cuánto distan los grupos",
    "groups.point": "punto de operación",
    "groups.highest": "más alta",
    "groups.lowest": "más baja",
    "groups.ratio": "razón",
    "groups.mean": "a la media",
    "groups.apart.note": (
        "Razón: la tasa más alta entre la más baja; a la media: entre la media geométrica de todas. FMR se toma "
        "dentro de los grupos. El simple azar hace ambas mayores que 1."
    ),
    "groups.no_ratio": "{kind} en {point} no tiene razón: {reason}.",
    "groups.left_out": "{kind} no tiene comparaciones en {groups}.",
    "advice.spotless": "no se vio ningún error en {groups}; una razón necesita uno en cada grupo",
    "advice.one_subject": "una persona sola no dice nada de las demás",
    "advice.no_strangers": (
        "no hay dos comparaciones de cuatro personas distintas, así que no se sabe cómo difieren otras"
    ),
    "advice.few_groups": "menos de dos grupos tienen comparaciones",
}
