"""The sentences and words of the advice layer in Chinese."""

from __future__ import annotations

ADVICE = {
    "advice.eer": "EER {eer} %：{band}。",
    "advice.eer_open": "EERopen {eer} %：{band}。",
    "advice.unknown": "EER 未知。",
    "advice.unknown_open": "EERopen 未知。",
    "advice.degradation": "EERopen {opened} % 是验证 EER {eer} % 的 {times} 倍：{word}（{low} 至 {high} 倍）。",
    "advice.degradation_unknown": "EERopen 无法与验证的 EER 比较：其中之一为零或未知。",
    "advice.frr": "FPIR {fpir}：FNIR {total} = {missed} 未检出 + {wrong} 认错：{words}。",
    "advice.frr_unknown": "FPIR {fpir}：FNIR 无法分解：未知。",
    "advice.met": "{preset}：达到。{name} 为 {value} %，阈值 {threshold}；{promise} 的代价应不超过 {most} % {price}。",
    "advice.not_met": (
        "{preset}：未达到。{name} 为 {value} %，阈值 {threshold}；{promise} 的代价应不超过 {most} % {price}。"
    ),
    "advice.auc": "AUC {value}：{band}。",
    "advice.kappa": "Kappa {value}：{band}。",
    "advice.resolution": (
        "{place} {target} 至少需要 {needed} 次独立的{kind}比对（三的法则）；现有 {trials} "
        "次。所示只是上限，不是测量值。"
    ),
    "advice.resolution_searches": (
        "FPIR {target} 至少需要 {needed} 次独立的未注册者搜索（三的法则）；现有 {trials} 次。所示只是上限，不是测量值。"
    ),
    "advice.few": "错误少于 30 个，真实比率可能相差 30 %（三十的法则）：{names}。",
    "advice.failed": "{failed} 次失败的比对（同一人 {mated}，不同人 {nonmated}）不计入 FMR 和 FNMR；FAR 和 FRR 计入。",
    "advice.failed_searches": "{failed} 次搜索没有分数（已注册者 {enrolled}，其他人 {others}），不计入任何比率。",
    "advice.direction_similarity": (
        "AUC 低于 0.5：同一人的分数低于不同人的分数。要么这些是距离 "
        "(--distance, rule='distance')，要么同一人与不同人的分数被对调。没有做任何翻转。"
    ),
    "advice.direction_distance": (
        "AUC 低于 0.5：同一人的距离大于不同人的距离。要么这些是相似度 "
        "(--similarity, rule='similarity')，要么同一人与不同人的分数被对调。没有做任何翻转。"
    ),
    "advice.chance": "{people} 人的 CMS@{rank}：随机名单也能达到 {share}。",
    "advice.tuned": "{name} 在这些数据上选择了阈值，因而偏乐观；请在其他数据上评判该阈值 (@t=)。",
    "advice.llr": "{name} 为 {value}，大于 1：作为对数似然比，这些分数不如不作回答。请先校准。",
    "advice.one_error": "{name} 只说明一种错误，代价由另一种承担：请同时查看 {other}@t=。",
    "advice.alone": "单独的 {name} 掩盖了两种错误的取舍；请同时报告一个工作点，如 {other}。",
    "advice.alone_searches": "单独的 {name} 掩盖了取舍；请同时报告另一个数字，如 {other}。",
    "advice.alone_class": "单独的 {name} 掩盖了取舍；请同时报告一个互补的指标。",
    "advice.blind": "{n} 次未注册者的搜索不在这些指标之中：DIR@FPIR=0.01 会计入。",
    "advice.unlike": "{first} 的测量基于 {a}，{second} 基于 {b}：部分差异可能来自数据。",
    "advice.no_interval": "这些数字没有区间；未显示其可靠程度。",
    "advice.reversed_class": (
        "AUC 低于 0.5：正类得分低于负类。如果分数表示另一类，请用 positive= 说明；没有做任何翻转。"
    ),
    "advice.skewed_class": (
        "最大的类占样本的 {share}：总是判为该类的准确率为 {accuracy}。请改看平衡准确率、MCC、精确率和召回率。"
    ),
    "advice.dummy": "准确率 {accuracy} 不优于总是判为最大的类 ({share})。",
    "advice.one_class": "真实标签只有一类，因此大多数指标未定义。",
    "advice.tuned_class": "阈值是在这些数据上选择的：这里的结果优于别处。请在其他数据上选择，在此用 t= 读取。",
    "advice.tuned_class_named": (
        "阈值是在这些数据上选择的（{names}）：这里的结果优于别处。请在其他数据上选择，在此用 t= 读取。"
    ),
    "advice.uncalibrated": "有概率却没有衡量其校准的指标；高 AUC 不能为其担保 (ECE)。",
    "advice.ece": "ECE 为 {value}：概率与实际相差甚远；请先校准。",
    "advice.impossible": "{n} 个样本对实际结果的概率为 0，因此 LogLoss 无穷大（LogLoss[clipped] 有限）。",
    "advice.few_samples": "{names} 的样本少于 {few} 个：这些类的比率说明不了什么。",
    "term.excellent": "优秀",
    "term.good": "良好",
    "term.acceptable": "可接受",
    "term.acceptable where errors are not critical": "在错误不严重处可接受",
    "term.weak": "较弱",
    "term.poor": "差",
    "term.poor: not usable as it is": "差：目前不可用",
    "term.unknown": "未知",
    "term.perfect": "完美",
    "term.none": "没有区分能力",
    "term.reversed: worse than chance": "相反：不如随机",
    "term.worse than chance": "不如随机",
    "term.slight": "轻微",
    "term.fair": "一般",
    "term.moderate": "中等",
    "term.substantial": "显著",
    "term.almost perfect": "几乎完美",
    "term.as usual": "与通常一致",
    "term.less than usual": "低于通常",
    "term.more than usual": "高于通常",
    "term.mated": "同一人",
    "term.non-mated": "不同人",
    "term.of genuine users rejected": "的真实用户被拒绝",
    "term.of impostors accepted": "的冒名者被接受",
    "term.every enrolled person is identified": "每个已注册者都被认出",
    "term.a problem of detection; a more permissive threshold helps, at the price of false alarms": (
        "检出的问题；更宽松的阈值有帮助，代价是误报"
    ),
    "term.a problem of identification; only a matcher that tells people apart better helps": (
        "辨认的问题；只有更能区分人的比对器才有帮助"
    ),
    "term.both weigh; work on the threshold and on the matcher": "两者都重要；应同时改进阈值和比对器",
    "term.extremely low false alarm": "极低误报",
    "term.extremely high detection": "极高检出",
    "term.low false alarm, moderate detection": "低误报，中等检出",
    "term.high detection, moderate false alarm": "高检出，中等误报",
    "term.no threshold": "无阈值",
    "term.all searches are looked through": "逐一查看所有搜索",
    "term.no mated scores": "没有同一人的分数",
    "term.no non-mated scores": "没有不同人的分数",
    "advice.better": (
        "{second} 优于 {first}：{measure} {b} 对 {a}，{way} {size}（{level} 区间 {low} 至 {high}），p = {p}。"
    ),
    "advice.worse": (
        "{second} 劣于 {first}：{measure} {b} 对 {a}，{way} {size}（{level} 区间 {low} 至 {high}），p = {p}。"
    ),
    "advice.apart": (
        "{second} 与 {first} 无法区分：{measure} {b} 对 {a}，p = {p}；真实差异约需 {size} 才能五次中有四次看出。"
    ),
    "advice.same": "{first} 与 {second} 的分数处处相同：无法区分。",
    "advice.unpaired": (
        "各系统按未配对方式比较，各自单独重抽样：如果它们评判的是相同的人或试验，配对比较能看出更小的差异。"
    ),
    "advice.naive_pairs": "重抽样的单位是 {units}：若其中多个属于同一人，区间和 p 值都偏小。",
    "advice.few_resamples": (
        "用 {resamples} 次重抽样同时做 {tests} 个检验，无论数据如何都达不到 p = {alpha}；请使用 --resamples {needed}。"
    ),
    "term.more": "多",
    "term.less": "少",
    "term.points": "个百分点",
}
