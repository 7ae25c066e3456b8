"""What is said of attacks in Italian."""

from __future__ import annotations

ATTACKS = {
    "title.attacks": "Rapporto sugli attacchi",
    "title.pad": "Rapporto sul rilevamento di attacchi",
    "section.attacks": "Attacchi",
    "summary.attacks": (
        "{attacks} attacchi di {species} specie sono stati fatti a {name}; un punteggio {sign} {threshold} è "
        "accettato ({how})."
    ),
    "summary.pad": (
        "Sono stati giudicati {attacks} attacchi di {species} specie e {others} presentazioni autentiche; un "
        "punteggio {sign} {threshold} è preso per autentico ({how})."
    ),
    "attacks.given": "soglia data",
    "attacks.fixed": "soglia di {promise}",
    "attacks.chart": "Punteggi di ogni popolazione, soglia {threshold}",
    "attacks.some": ": le {n} specie peggiori",
    "attacks.chart.summary": "Densità dei punteggi di ogni popolazione. {measure} per specie: {rates}.",
    "attacks.density": "Densità",
    "attacks.bona_fide": "autentiche",
    "attacks.caption": "Attacchi per specie, dalla peggiore",
    "attacks.species": "specie",
    "attacks.through.attacks": "accettati",
    "attacks.through.pad": "presi per autentici",
    "attacks.silent": "senza risposta",
    "attacks.others": "Chi non attacca",
    "attacks.IAPAR": "attacchi accettati, della specie peggiore: {species}",
    "attacks.APCER": "attacchi presi per autentici, della specie peggiore: {species}",
    "attacks.FMR": "impostori accettati che provano soltanto",
    "attacks.FRR": "utenti genuini rifiutati, fallimenti compresi",
    "attacks.RIAPAR": "IAPAR della specie peggiore + FRR",
    "attacks.BPCER": "presentazioni autentiche prese per attacchi",
    "attacks.BPNRR": "presentazioni autentiche senza risposta",
    "attacks.BPCER@APCER": "dove nessuna specie ha APCER oltre {percent}",
    "attacks.bound": (
        "Dove non si è visto alcun errore il tasso è mostrato come limite: con il 95 % di confidenza è sotto 3 / "
        "prove (regola del 3)."
    ),
    "notes.attacks": (
        "IAPAR è la parte delle presentazioni d'attacco di una specie che sono accettate; una senza risposta conta "
        "come non accettata. Le specie non si sommano mai: un sistema è sicuro quanto la peggiore. RIAPAR è "
        "quell'IAPAR + FRR, attaccanti fatti entrare e utenti genuini lasciati fuori. Un punteggio uguale alla "
        "soglia è accettato."
    ),
    "notes.pad": (
        "APCER è la parte delle presentazioni d'attacco di una specie prese per autentiche, BPCER quella delle "
        "autentiche prese per attacchi, tra quelle classificate. Le specie non si sommano mai: un rilevatore vale "
        "quanto la peggiore. Un punteggio uguale alla soglia è preso per autentico."
    ),
    "advice.attack_none": "Nessun attacco è passato.",
    "advice.attack_worst": "Specie peggiore: {species}, {name} {value}.",
    "advice.attack_met": "{level} (IAPAR al più {limit}): raggiunto, estremi superiori degli intervalli compresi.",
    "advice.attack_not_met": "{level} (IAPAR al più {limit}): non raggiunto.",
    "advice.attack_unknown": (
        "{level} (IAPAR al più {limit}): raggiunto da ciò che si è visto, non dimostrato: l'intervallo non è noto."
    ),
    "advice.attack_seen": (
        "{level} (IAPAR al più {limit}): raggiunto da ciò che si è visto, non dimostrato: l'intervallo arriva a {end}."
    ),
    "advice.attack_acer": "ACER {value}: una media di due errori, che ISO/IEC 30107-3 non favorisce.",
    "advice.attack_few_more": (
        "{name} {rate} richiede almeno {needed} attacchi indipendenti di {species}; qui sono {trials} (altre {n} "
        "specie ne hanno troppo pochi)."
    ),
    "advice.attack_few": (
        "{name} {rate} richiede almeno {needed} attacchi indipendenti di {species}; qui sono {trials}."
    ),
    "advice.attack_fmr": (
        "FMR {rate} richiede almeno {needed} comparazioni di impostori indipendenti; qui sono {trials}."
    ),
    "advice.attack_lower": (
        "Le presentazioni bona fide hanno punteggi più bassi degli attacchi (AUC {auc}). "
        "O un punteggio basso significa bona fide (--distance), "
        "o le etichette significano il contrario (--values attack=1,bonafide=0)."
    ),
    "advice.attack_higher": (
        "Le presentazioni bona fide hanno punteggi più alti degli attacchi (AUC {auc}). "
        "O un punteggio alto significa bona fide (--similarity), "
        "o le etichette significano il contrario (--values attack=1,bonafide=0)."
    ),
    "advice.attack_optimistic": (
        "La soglia è stata trovata su queste stesse presentazioni, quindi i tassi sono ottimistici: va fissata su "
        "altre."
    ),
    "advice.attack_independent": (
        "Le presentazioni sono prese come indipendenti; se alcune sono di una stessa persona o di uno stesso "
        "strumento, gli intervalli sono troppo stretti (una colonna 'subject' rimedia)."
    ),
}
