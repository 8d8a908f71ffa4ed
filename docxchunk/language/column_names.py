"""Words that commonly name the columns of tables and the keys of forms, by language; texts that a
form leaves to be filled in; and values.
"""

from __future__ import annotations

from typing import Final

from docxchunk.language.patterns import pattern

BLANK: Final = pattern(r"_{3,}|\.{4,}|…{2,}|\[[\s●•_]*\]|\([\s_]*\)|（\s*）|【\s*】")
"""What is left to be filled in: "____", "[ ]"."""

_DIGITS: Final = pattern(r"\d")
_LETTERS: Final = pattern(r"[^\W\d_]")
_WORD: Final = pattern(r"[^\W\d_]+|№")
_WORDS: Final = frozenset(
    """
    name description type value number no id date status comment note remark version revision
    section reference title item unit price total amount quantity default required parameter field
    column meaning purpose role category author code examples result source function element
    attribute property properties argument method variable definition abbreviation term class usage
    file key label position country year month level count header address city phone telephone email
    mail fax organization component requirement action task step owner responsible scenario format
    size length range option feature actor system location participant time

    bezeichnung beschreibung wert datum nr nummer bedeutung begriff abkürzung typ einheit anzahl
    preis betrag bemerkung titel autor autoren ort rolle adresse telefon kommentar
    nom valeur désignation libellé signification unité quantité prix montant remarque auteur rôle
    téléphone
    nombre descripción valor fecha tipo campo término significado unidad cantidad precio objetivo
    observaciones actores dirección teléfono comentario organización
    nome descrição data termo unidade quantidade preço observações atores endereço telefone
    descrizione valore termine significato unità quantità prezzo indirizzo telefono
    naam omschrijving beschrijving waarde eenheid aantal opmerking
    namn beskrivning värde enhet antal anmärkning navn beskrivelse værdi dato enhed verdi enhet
    nimi kuvaus arvo yksikkö määrä nimetus kirjeldus pavadinimas aprašymas nosaukums apraksts
    nazwa opis wartość jednostka liczba ilość cena uwagi znaczenie skrót
    název popis hodnota jednotka počet názov naziv pojam vrijednost oznaka zahtjev ime vrednost
    név neve leírás érték típus típusa dátum mennyiség megnevezés
    nume denumire descriere valoare tip
    ad adı açıklama değer tarih birim miktar tür
    nama deskripsi keterangan nilai tanggal kategori alamat jenis jumlah satuan
    tên mô loại ngày
    тип имя дата № наименование название описание значение поле ключ столбец единица единицы
    количество цена примечание показатель показатели параметр адрес телефон
    назва опис значення кількість примітка термін тип дата показник
    име описание стойност бележка
    όνομα περιγραφή τύπος τιμή ημερομηνία
    الاسم الوصف النوع القيمة التاريخ ملاحظات الرقم نام توضیحات تاریخ شرح
    שם תיאור סוג ערך תאריך הערות דוגמה כתובת
    """.split()
)
_ENDINGS: Final = tuple(
    """
    名称 名稱 序号 序號 编号 編號 说明 說明 説明 描述 类型 類型 日期 日付 备注 備註 備考 单位 單位
    単位 数量 數量 金额 金額 项目 項目 内容 內容 状态 狀態 版本 姓名 名前 参数 參數 字段 类别 類別
    种类 種類 情况 情況 特性 功能 要求 标准 標準 方式 时间 時間 地址 电话 電話 目的 角色 概要 詳細
    原因 方法 措施 负责人 負責人
    이름 명 설명 구분 내용 비고 항목 단위 수량 번호
    nummer titel leiter
    """.split()
)


def naming_share(text: str) -> float:
    """Return the share of the words of a text that commonly name columns; 1 if it ends with a word
    such as 名称.
    """
    words = _WORD.findall(text.casefold())
    naming = [word in _WORDS or word.removesuffix("s") in _WORDS for word in words]
    return 1.0 if text.endswith(_ENDINGS) else sum(naming) / max(len(words), 1)


def is_value(text: str) -> bool:
    """Return whether a text is a number, a date or a code: it has at least as many digits as
    letters.
    """
    digits = len(_DIGITS.findall(text))
    return digits > 0 and digits >= len(_LETTERS.findall(text))
