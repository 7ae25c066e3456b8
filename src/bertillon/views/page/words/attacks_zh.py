"""What is said of attacks in Chinese."""

from __future__ import annotations

ATTACKS = {
    "title.attacks": "攻击报告",
    "title.pad": "攻击检测报告",
    "section.attacks": "攻击",
    "summary.attacks": "对 {name} 进行了 {species} 种共 {attacks} 次攻击；分数 {sign} {threshold} 即接受（{how}）。",
    "summary.pad": (
        "评判了 {species} 种共 {attacks} 次攻击和 {others} 次真实呈现；分数 {sign} {threshold} 即视为真实（{how}）。"
    ),
    "attacks.given": "给定的阈值",
    "attacks.fixed": "{promise} 的阈值",
    "attacks.chart": "各群体的分数，阈值 {threshold}",
    "attacks.some": "：最差的 {n} 种",
    "attacks.chart.summary": "各群体分数的密度。各种攻击的 {measure}：{rates}。",
    "attacks.density": "密度",
    "attacks.bona_fide": "真实呈现",
    "attacks.caption": "按种类的攻击，最差者在先",
    "attacks.species": "种类",
    "attacks.through.attacks": "被接受",
    "attacks.through.pad": "被视为真实",
    "attacks.silent": "无响应",
    "attacks.others": "非攻击者",
    "attacks.IAPAR": "最差种类被接受的攻击：{species}",
    "attacks.APCER": "最差种类被视为真实的攻击：{species}",
    "attacks.FMR": "仅作尝试而被接受的冒名者",
    "attacks.FRR": "被拒绝的真实用户，含失败",
    "attacks.RIAPAR": "最差种类的 IAPAR + FRR",
    "attacks.BPCER": "被视为攻击的真实呈现",
    "attacks.BPNRR": "无响应的真实呈现",
    "attacks.BPCER@APCER": "没有种类的 APCER 超过 {percent} 时",
    "attacks.bound": "未见错误时，比率以上界表示：有 95 % 置信度低于 3 / 试验次数（三的法则）。",
    "notes.attacks": (
        "IAPAR 是一个种类的攻击呈现中被接受的份额；无响应者计为未接受。各种类从不合并：系统的安全取决于最差的一种。"
        "RIAPAR 是该 IAPAR + FRR，即放进的攻击者与拒之门外的真实用户。等于阈值的分数被接受。"
    ),
    "notes.pad": (
        "APCER 是一个种类的攻击呈现中被视为真实的份额，BPCER 是真实呈现中被视为攻击的份额，均按已分类者计。各种类从不"
        "合并：检测器的优劣取决于最差的一种。等于阈值的分数视为真实。"
    ),
    "advice.attack_none": "没有攻击通过。",
    "advice.attack_worst": "最差种类：{species}，{name} {value}。",
    "advice.attack_met": "{level}（IAPAR 至多 {limit}）：达到，包括区间上端。",
    "advice.attack_not_met": "{level}（IAPAR 至多 {limit}）：未达到。",
    "advice.attack_unknown": "{level}（IAPAR 至多 {limit}）：所见达到，但未证明：区间未知。",
    "advice.attack_seen": "{level}（IAPAR 至多 {limit}）：所见达到，但未证明：区间延伸至 {end}。",
    "advice.attack_acer": "ACER {value}：两种错误的平均，ISO/IEC 30107-3 不推荐。",
    "advice.attack_few_more": (
        "{name} {rate} 至少需要 {needed} 次 {species} 的独立攻击；这里有 {trials} 次（另有 {n} 种太少）。"
    ),
    "advice.attack_few": "{name} {rate} 至少需要 {needed} 次 {species} 的独立攻击；这里有 {trials} 次。",
    "advice.attack_fmr": "FMR {rate} 至少需要 {needed} 次独立的不同人比对；这里有 {trials} 次。",
    "advice.attack_lower": (
        "真实呈现的分数低于攻击（AUC {auc}）。"
        "要么较低的分数表示真实呈现（--distance），"
        "要么标签的含义相反（--values attack=1,bonafide=0）。"
    ),
    "advice.attack_higher": (
        "真实呈现的分数高于攻击（AUC {auc}）。"
        "要么较高的分数表示真实呈现（--similarity），"
        "要么标签的含义相反（--values attack=1,bonafide=0）。"
    ),
    "advice.attack_optimistic": "阈值是在这些呈现上找到的，所以比率偏乐观：请在其他数据上确定阈值。",
    "advice.attack_independent": (
        "呈现视为独立；如果其中一些来自同一个人或同一件工具，区间就太窄（加一列 'subject' 即可）。"
    ),
}
