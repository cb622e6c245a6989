//! A reader of JSON, as RFC 8259 has it, to see what was written with.

use std::collections::BTreeMap;

/// A JSON value. Numbers are taken as far as an `f64` has them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// The value that `text` is.
    ///
    /// # Panics
    /// If it is none, with the place where it goes wrong.
    pub(crate) fn parse(text: &str) -> Self {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value();
        reader.space();
        assert_eq!(reader.at, text.len(), "more after the value");
        value
    }

    /// The member of this name.
    ///
    /// # Panics
    /// If it is no object or has none.
    pub(crate) fn get(&self, name: &str) -> &Json {
        self.find(name).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.get(name),
            other => panic!("{other:?} is no object"),
        }
    }

    pub(crate) fn list(&self) -> &[Json] {
        match self {
            Self::List(values) => values,
            other => panic!("{other:?} is no list"),
        }
    }

    pub(crate) fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            other => panic!("{other:?} is no number"),
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            other => panic!("{other:?} is no text"),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n')).unwrap_or(self.rest().len());
    }

    /// Whether `token` comes next, which is then passed.
    fn takes(&mut self, token: &str) -> bool {
        self.space();
        let takes = self.rest().starts_with(token);
        self.at += if takes { token.len() } else { 0 };
        takes
    }

    fn expect(&mut self, token: &str) {
        let (at, found) = (self.at, self.rest().chars().take(20).collect::<String>());
        assert!(self.takes(token), "{token:?} expected at byte {at}: {found:?}");
    }

    fn value(&mut self) -> Json {
        if self.takes("{") {
            Json::Object(self.many("}", |reader| {
                let name = reader.string();
                reader.expect(":");
                (name, reader.value())
            }))
        } else if self.takes("[") {
            Json::List(self.many("]", Self::value))
        } else if self.takes("null") {
            Json::Null
        } else if self.takes("true") {
            Json::Bool(true)
        } else if self.takes("false") {
            Json::Bool(false)
        } else if self.rest().starts_with('"') {
            Json::Text(self.string())
        } else {
            self.number()
        }
    }

    fn many<T, C: FromIterator<T>>(&mut self, end: &str, mut one: impl FnMut(&mut Self) -> T) -> C {
        let mut found = Vec::new();
        if !self.takes(end) {
            loop {
                found.push(one(self));
                if self.takes(end) {
                    break;
                }
                self.expect(",");
            }
        }
        found.into_iter().collect()
    }

    fn string(&mut self) -> String {
        self.expect("\"");
        let mut text = String::new();
        loop {
            let c = self.rest().chars().next().expect("a text that ends");
            self.at += c.len_utf8();
            match c {
                '"' => return text,
                '\\' => {
                    let escaped = self.rest().chars().next().expect("an escaped character");
                    self.at += 1;
                    text.push(match escaped {
                        '"' | '\\' | '/' => escaped,
                        'n' => '\n',
                        't' => '\t',
                        other => panic!("\\{other} is not read here"),
                    });
                }
                c => {
                    assert!(c >= ' ', "a control character in a text");
                    text.push(c);
                }
            }
        }
    }

    fn number(&mut self) -> Json {
        let len = self.rest().find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        let text = &self.rest()[..len.unwrap_or(self.rest().len())];
        let digits = text.trim_start_matches('-');
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.ends_with(|c: char| c.is_ascii_digit())
            && !(digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit()))
            && !digits.contains(".e");
        assert!(is_number, "{text:?} at byte {} is no number", self.at);
        let number = text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"));
        self.at += text.len();
        Json::Number(number)
    }
}

#[test]
fn what_is_json_is_read_and_other_things_are_noticed() {
    let read = Json::parse(" {\"a\" : [1, -2.5e1, \"x\\\"\", true, null], \"b\":{}}\n");
    assert_eq!(read.get("a").list()[1], Json::Number(-25.0));
    assert_eq!(read.get("a").list()[2].text(), "x\"");
    assert_eq!(read.get("b"), &Json::Object(BTreeMap::new()));
    for wrong in
        ["", "{", "[1,]", "[1 2]", "{\"a\"}", "01", ".5", "1.", "\"a", "{}{}", "[1],", "nul", "{a:1}", "\"\n\""]
    {
        assert!(std::panic::catch_unwind(|| Json::parse(wrong)).is_err(), "{wrong:?}");
    }
}
