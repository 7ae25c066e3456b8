"""What is said of samples and people in Chinese: quality, who causes the errors, and groups."""

from __future__ import annotations

SAMPLES = {
    "section.discard": "质量",
    "section.people": "人员",
    "section.groups": "人群分组",
    # errors left when low quality is discarded
    "discard.words": (
        "按{quality}，质量最低的比对先被舍弃；阈值仍为 EER 的阈值 {threshold}。与错误无关的质量不会使错误率变化。"
    ),
    "discard.chart": "虚线是可能的最小错误率，即每个被舍弃的比对都是错误时的情形。",
    "discard.lower": "{columns} 中最低者",
    "discard.raised": "舍弃反而提高了 {kind}：{columns} 是否数值越低越好？如是，请取其相反数。",
    "discard.title": "舍弃低质量后剩余的错误",
    "discard.summary": "{kind}：全部比对时为 {start}，舍弃 {share} 时为 {end}。",
    "discard.x": "已舍弃，质量最低者在先",
    "discard.y": "保留部分的错误率",
    "discard.best": "可能的最佳",
    "discard.step": "质量不低于 {quality}：{errors}",
    "discard.caption": "每种错误的剩余",
    "discard.error": "错误",
    "discard.discarded": "已舍弃",
    "discard.rate": "比率",
    "discard.kept": "保留部分中",
    "discard.quality": "质量不低于",
    "discard.areas": "舍弃至 {limit} 的曲线下面积：越低越好",
    "discard.measured": "实测",
    "discard.difference": "差",
    "discard.random": "随机舍弃",
    # who causes the errors
    "people.words": (
        "错误并非均匀地落在每个人身上。人按名次划分，所以每次测试都有山羊、羔羊和狼：这是否有意义由检验说明。"
    ),
    "people.chart": (
        "每个点是一个人：向右是与自己比对的平均分数，向上是与他人比对的平均分数。两者都处于最外四分之一的人有颜色，其"
        "余为灰色。"
    ),
    "people.title": "每个人的两个平均分数",
    "people.summary": "{people} 人。两方面都极端：{found}。",
    "people.similarity": "相似度",
    "people.distance": "距离",
    "people.own": "与自己的平均{score}",
    "people.others": "与他人的平均{score}",
    "people.behind": "其他人",
    "people.shaded": "阴影：两方面都在最外四分之一",
    "people.unseen": "未画出的人（没有有限的平均分数）：{n}。",
    "people.some": "人数极多时只均匀画出一部分；表格统计所有人。",
    "people.animal": "动物",
    "people.people": "人数",
    "people.share": "占错误的份额",
    "people.differ": "人与人有差别吗？",
    "people.expected": "偶然预期",
    "people.more": "多于偶然吗？",
    "people.who": "何人",
    "people.yes": "是",
    "people.no": "否",
    "people.spreads": "一方面极端：各为最外 {share} 的人（EER 阈值 {threshold}）",
    "people.spreads.note": (
        "Kruskal 和 Wallis 检验把比对视为独立。所占错误略多于其份额属于运气，因为人正是按出错的分数挑选的。"
    ),
    "people.corners": "两方面都极端：两个平均分数都在最外四分之一",
    "people.corners.note": "两个平均分数互不相关时出现这么多人的精确概率，按四个角校正 (Holm)。",
    "people.names": "每种最极端的 {n} 人",
    "people.names.note": "括号内是使其如此的平均分数。",
    "people.goat": "山羊",
    "people.lamb": "羔羊",
    "people.wolf": "狼",
    "people.dove": "鸽子",
    "people.chameleon": "变色龙",
    "people.phantom": "幽灵",
    "people.worm": "蠕虫",
    "people.goat.words": "难以识别",
    "people.lamb.words": "容易被模仿",
    "people.wolf.words": "善于模仿",
    "people.dove.words": "像自己，不像他人：没有问题",
    "people.chameleon.words": "像所有人",
    "people.phantom.words": "不像任何人",
    "people.worm.words": "不像自己，像他人：两种错误都有",
    "people.goat.errors": "占错误不匹配",
    "people.lamb.errors": "占错误匹配",
    "people.wolf.errors": "占错误匹配",
    "advice.few_people": "{n} 人既有与自己也有与他人的分数；至少需要 {least} 人",
    "advice.few_tries": "有 {least} 次以上比对的人不足两个",
    "advice.equal_scores": "所有分数相同",
    # errors by group
    "groups.words": (
        "所有组在同一阈值下评判。FNMR 是该组成员自身的；FMR 是同组两人之间，或两组各一人之间的。区间大幅重叠时，差别"
        "可能只是运气。"
    ),
    "groups.title": "各组 {kind}，{point}（阈值 {threshold}）",
    "groups.some": "{title}：{all} 组中最高的 {n} 组",
    "groups.summary": "各组的 {kind}：{rates}。",
    "groups.axis": "{kind}；线：{level} % 区间",
    "groups.caption": "各组的错误，{point}（阈值 {threshold}）",
    "groups.group": "组",
    "groups.error": "错误",
    "groups.people": "人数",
    "groups.rate": "比率",
    "groups.pair": "{one} 与 {other}",
    "groups.naive": "* 比对视为独立：连同其人保留下来的太少。",
    "groups.no_interval": "没有区间：{reason}。",
    "groups.hidden": "此处未列出的 FMR 较低的组对：{n}。",
    "groups.across": "每两组的 {kind}，{point}（阈值 {threshold}）",
    "groups.apart": "各组相差多少",
    "groups.point": "工作点",
    "groups.highest": "最高",
    "groups.lowest": "最低",
    "groups.ratio": "比值",
    "groups.mean": "与均值之比",
    "groups.apart.note": (
        "比值：最高比率除以最低；与均值之比：除以所有组的几何平均。FMR 取组内的。仅凭偶然两者就会大于 1。"
    ),
    "groups.no_ratio": "{kind} 在 {point} 没有比值：{reason}。",
    "groups.left_out": "{kind} 在 {groups} 中没有比对。",
    "advice.spotless": "{groups} 中未见错误；比值要求每组都有错误",
    "advice.few_groups": "有比对的组不足两个",
}
