"""Names, words and phrases that rendered strings are made of, where the bibliographies have none in that script."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CITIES", "JOURNALS", "NAMES", "ORGANISATIONS", "PRESSES", "REMARKS", "SITES", "TITLES"]


def listed(words: str) -> list[str]:
    """The words between bars, or between blanks where there is no bar."""
    return words.split("|" if "|" in words else None)


NAMES: Mapping[str, tuple[list[str], list[str]]] = {
    "zh": (
        listed(
            "王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林 何 郭 马 罗 梁 宋 郑 谢 韩 唐 冯 于 董 萧 欧阳 司马"
        ),
        listed(
            "伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 娟 涛 明 超 秀兰 霞 平 刚 桂英 建国 志强 晓东 文博 子涵 雨桐 海燕 国栋 思远 佳怡"
        ),
    ),
    "ja": (
        listed(
            "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林 清水 山崎 森 池田 橋本 阿部 石川 前田 藤田 小川 岡田 金水"
        ),
        listed(
            "誠 健一 翔太 大輔 直樹 和也 拓也 美咲 陽子 恵子 由美 智子 明 博 隆 茂 修 純一 真由美 敏 裕子 太郎 花子 一郎 弘 進 さくら ひろし"
        ),
    ),
    "ko": (
        listed("김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권 황 안 송 류 홍 전 고 문 손 양 배 백 허 유 남"),
        listed(
            "민준 서연 지훈 수빈 현우 지우 영희 철수 은주 성호 동현 미경 재석 유진 상철 혜진 태영 보라 익섭 정은 길동 준호 하늘 소영 경수 나영 승민 다은"
        ),
    ),
    "ru": (
        listed(
            "Иванов Петров Сидоров Кузнецов Смирнов Попов Васильев Соколов Михайлов Новиков Фёдоров Морозов Волков Алексеев "
            "Лебедев Семёнов Егоров Павлов Козлов Степанов Николаев Орлов Андреев Макаров Захаров Зайцев Лотман Бахтин"
        ),
        listed("А. Б. В. Г. Д. Е. И. К. Л. М. Н. О. П. Р. С. Т. Ю. Я."),
    ),
}
"""Family names and given names (in Russian initials), by language."""

TITLES: Mapping[str, tuple[list[str], list[str], list[str]]] = {
    "zh": (
        listed(
            "基于深度学习的 面向大数据的 中国古代 改革开放以来 新时代 人工智能驱动的 城市化背景下的 论 浅析 跨文化视角下的 多模态 区域经济中的 清代江南"
        ),
        listed(
            "知识图谱 图像识别 机器翻译 社会保障制度 诗歌意象 农业现代化 语言政策 教育公平 供应链管理 气候变化 量子计算 文本分类 公共卫生体系 民间信仰 推荐系统 法律解释"
        ),
        listed(
            "研究 综述 构建方法 技术综述 的若干问题 及其应用 的理论与实践 分析 概论 研究进展 导论 史稿 的影响因素 优化算法"
        ),
    ),
    "ja": (
        listed(
            "日本語の 近代日本における 深層学習による 江戸時代の 自然言語処理のための 高齢社会の 地域社会と 現代 中世ヨーロッパの 機械学習を用いた 役割語としての 明治期の"
        ),
        listed(
            "敬語 音声認識 都市計画 文法 人口移動 教育制度 画像分類 家族構造 文学 宗教思想 経済政策 言語変化 災害対策 出版文化 知識表現 気象予測"
        ),
        listed(
            "研究 の歴史 に関する考察 入門 の変遷 の方法と課題 論 の基礎 とその応用 の社会学 概説 をめぐって の謎"
        ),
    ),
    "ko": (
        listed(
            "한국어의|조선시대|딥러닝을 이용한|현대|디지털 시대의|지역 사회의|다문화 사회와|인공지능 기반|근대 국어|청소년의|고령화 사회의"
        ),
        listed(
            "문법|교육 정책|음성인식|도시 공간|가족 구조|기계번역|의미 분석|문학|정보 보호|언어 변화|방언|학교 상담|사회학|음운"
        ),
        listed(" 연구|에 관한 고찰| 입문|의 이해|의 변화와 전망|개론|론|의 이론과 실제|강의| 시스템 개발"),
    ),
    "ru": (
        listed(
            "Основы|История|Проблемы|Методы|Теория|Анализ|Структура|Особенности|Введение в изучение|Развитие|Эволюция|Психология"
        ),
        listed(
            "художественного текста|машинного обучения|русского языка|экономической политики|обработки изображений|городской культуры|"
            "педагогического процесса|численного моделирования|международных отношений|древнерусской литературы|"
            "нейронных сетей|социальной памяти|гражданского права|распознавания речи"
        ),
        listed(
            "|: учебное пособие| в современной России|: монография| и их приложения| в XX веке|: опыт анализа| и методы решения|: избранные труды"
        ),
    ),
}
"""Beginnings, middles and ends of titles."""

JOURNALS: Mapping[str, list[str]] = {
    "zh": listed(
        "计算机研究与发展 软件学报 中国社会科学 历史研究 自动化学报 教育研究 经济学季刊 文学评论 法学研究 电子学报 北京大学学报(哲学社会科学版) 管理世界"
    ),
    "ja": listed(
        "言語研究 日本語文法 情報処理学会論文誌 社会学評論 人工知能 国語と国文学 史学雑誌 教育学研究 電子情報通信学会誌 思想 心理学研究"
    ),
    "ko": listed(
        "국어학 한국언어문화 정보과학회논문지 한국사회학 교육학연구 역사비평 한국어 의미학 언어학 한국경영학회지 현대문학의 연구"
    ),
    "ru": listed(
        "Вопросы языкознания|Вопросы философии|Вестник МГУ|Автоматика и телемеханика|Новое литературное обозрение|"
        "Программирование|Экономический журнал ВШЭ|Успехи физических наук|Известия РАН|Социологические исследования"
    ),
    "en": listed(
        "Nature|Science|Cell|The Lancet|BMJ|PLOS ONE|Psychological Review|Journal of Finance|American Economic Review|N Engl J Med|"
        "Proceedings of the National Academy of Sciences|IEEE Transactions on Information Theory|Communications of the ACM|"
        "Journal of Machine Learning Research|Neural Computation|Artificial Intelligence|Physical Review Letters|JAMA|"
        "Annals of Statistics|Philosophical Transactions of the Royal Society B|Journal of Personality and Social Psychology|"
        "Machine Learning|Cognition|Mind|Ethics|Econometrica|Angew Chem Int Ed|J Biol Chem|Trends in Cognitive Sciences"
    ),
}

PRESSES: Mapping[str, list[str]] = {
    "zh": listed("商务印书馆 中华书局 清华大学出版社 科学出版社 人民出版社 高等教育出版社 上海古籍出版社 机械工业出版社"),
    "ja": listed("岩波書店 講談社 ひつじ書房 くろしお出版 東京大学出版会 勁草書房 筑摩書房 新潮社 大修館書店"),
    "ko": listed("학연사 창비 민음사 태학사 박이정 서울대학교출판부 을유문화사 문학과지성사 한울 역락"),
    "ru": listed("Наука|Просвещение|Высшая школа|Физматлит|Искусство|Мысль|Языки русской культуры|Питер|Изд-во МГУ"),
    "en": listed("MIT Press|Cambridge University Press|Oxford University Press|Springer|Knopf|Penguin|Routledge|Wiley|Addison-Wesley|"
    "Harvard University Press|Princeton University Press|Random House|Basic Books|O'Reilly Media|Simon & Schuster|Norton|"
    "Farrar, Straus and Giroux|University of Chicago Press|Little, Brown|Faber & Faber|Doubleday"),
}  # fmt: skip

CITIES: Mapping[str, list[str]] = {
    "zh": listed("北京 上海 南京 广州 武汉 成都 台北"),
    "ja": listed("東京 京都 大阪"),
    "ko": listed("서울 파주 부산 대구"),
    "ru": listed("М. СПб. Москва Л. Новосибирск Киев"),
    "en": listed("New York|London|Cambridge, MA|Oxford|Berlin|Chicago|Princeton, NJ|San Francisco|Amsterdam"),
}

ORGANISATIONS = listed(
    "World Health Organization|Office for National Statistics|National Institute of Mental Health|OECD|World Bank|"
    "European Commission|UNESCO|American Psychological Association|Centers for Disease Control and Prevention|"
    "Intergovernmental Panel on Climate Change|Pew Research Center|International Energy Agency|NASA|OpenAI"
)

SITES = listed(
    "BBC News|The New York Times|The Guardian|Medium|CNN|Scientific American|The Atlantic|Towards Data Science|Wired|"
    "Stanford Encyclopedia of Philosophy|Reuters|The Conversation|Psychology Today|Ars Technica"
)

REMARKS = listed(
    "introduced the method|a classic introduction to the field|This paper proposes a new approach.|"
    "This book gives a comprehensive overview of the subject.|widely cited|foundational work on the topic|"
    "Explores how these ideas developed over time.|shows that the effect is robust|highly recommended for beginners|"
    "The authors argue that earlier results do not generalise.|presents a survey of recent work|"
    "Discusses the limits of current techniques and suggests directions for research.|an accessible starting point"
)
