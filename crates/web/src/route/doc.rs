//! The documentation of a row of the route table.
//!
//! Shapes are stored as functions, so that the table stays cheap: they are built only when somebody requests the
//! document.

use http_server::envelope::Envelope;
use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::{IntoParams, ToSchema};

use super::Route;

/// The shape of a document on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) name: fn() -> String,
    pub(crate) schema: fn() -> Value,
    /// The shapes inside it that have names of their own.
    pub(crate) parts: fn() -> Vec<(String, Value)>,
}

impl Shape {
    pub(crate) fn of<T: ToSchema>() -> Self {
        Self {
            name: || T::name().into_owned(),
            schema: || plain(&T::schema()),
            parts: || {
                let mut parts = Vec::new();
                T::schemas(&mut parts);
                let parts = parts.into_iter();
                parts.map(|(name, schema)| (name, plain(&schema))).collect()
            },
        }
    }
}

/// The body of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RequestBody {
    Json(Shape),
    /// A form with a file in this field.
    File(&'static str),
    /// Texts by name, as browsers send forms.
    Form(&'static [&'static str]),
}

/// The body of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ResponseBody {
    Json(Shape),
    List(Shape),
    /// Text of this media type.
    Text(&'static str),
    Nothing,
}

/// An answer a row may give.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResponseDoc {
    pub(crate) status: u16,
    pub(crate) why: &'static str,
    pub(crate) body: ResponseBody,
}

/// A parameter in the query that a handler reads by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryParameter {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
}

/// Everything that a row says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doc {
    pub(crate) summary: &'static str,
    pub(crate) takes: Option<RequestBody>,
    /// It can be left out.
    pub(crate) is_body_optional: bool,
    pub(crate) query: Option<fn() -> Vec<Parameter>>,
    pub(crate) asked: Vec<QueryParameter>,
    pub(crate) answers: Vec<ResponseDoc>,
    pub(crate) is_limited: bool,
}

/// The value as it appears in the document.
pub(crate) fn plain(part: &impl Serialize) -> Value {
    serde_json::to_value(part).expect("shapes are made of texts, numbers, lists and maps")
}

impl Route {
    /// One sentence about what the row is for, without a full stop.
    pub(crate) fn says(mut self, summary: &'static str) -> Self {
        self.doc.summary = summary;
        self
    }

    /// The request's body.
    pub(crate) fn takes<T: ToSchema>(mut self) -> Self {
        self.doc.takes = Some(RequestBody::Json(Shape::of::<T>()));
        self
    }

    /// The request's body, which can be left out.
    pub(crate) fn may_take<T: ToSchema>(mut self) -> Self {
        self.doc.is_body_optional = true;
        self.takes::<T>()
    }

    /// The request's body, whose shape is not that of one type.
    pub(crate) fn takes_as(mut self, shape: Shape) -> Self {
        self.doc.takes = Some(RequestBody::Json(shape));
        self
    }

    /// A file in this field of a form.
    pub(crate) fn takes_file(mut self, field: &'static str) -> Self {
        self.doc.takes = Some(RequestBody::File(field));
        self
    }

    /// The fields of a form in the request's body.
    pub(crate) fn takes_form(mut self, fields: &'static [&'static str]) -> Self {
        self.doc.takes = Some(RequestBody::Form(fields));
        self
    }

    /// What may stand in the query.
    pub(crate) fn query<P: IntoParams>(mut self) -> Self {
        self.doc.query = Some(|| P::into_params(|| Some(ParameterIn::Query)));
        self
    }

    /// One more text that may stand in the query.
    pub(crate) fn asks(mut self, name: &'static str, why: &'static str) -> Self {
        self.doc.asked.push(QueryParameter { name, why });
        self
    }

    /// The document in the answer.
    pub(crate) fn answers<T: ToSchema>(self) -> Self {
        self.answer(200, "The document", ResponseBody::Json(Shape::of::<T>()))
    }

    /// The document in the answer, whose shape is not that of one type.
    pub(crate) fn answers_as(self, shape: Shape) -> Self {
        self.answer(200, "The document", ResponseBody::Json(shape))
    }

    /// A list of such documents.
    pub(crate) fn answers_list<T: ToSchema>(self) -> Self {
        self.answer(200, "The list", ResponseBody::List(Shape::of::<T>()))
    }

    /// Text of this media type.
    pub(crate) fn answers_text(self, media_type: &'static str) -> Self {
        self.answer(200, "The text", ResponseBody::Text(media_type))
    }

    /// The envelope that says that it is done.
    pub(crate) fn done(self) -> Self {
        self.answer(200, "Done", ResponseBody::Json(Shape::of::<Envelope>()))
    }

    /// Another answer: with the envelope if it is an error, else without a body.
    pub(crate) fn also(self, status: u16, why: &'static str) -> Self {
        let body = match status {
            400.. => ResponseBody::Json(Shape::of::<Envelope>()),
            _ => ResponseBody::Nothing,
        };
        self.answer(status, why, body)
    }

    /// Another answer, with a body of this media type.
    pub(crate) fn also_text(
        self,
        status: u16,
        why: &'static str,
        media_type: &'static str,
    ) -> Self {
        self.answer(status, why, ResponseBody::Text(media_type))
    }

    /// Another answer, without a body.
    pub(crate) fn also_nothing(self, status: u16, why: &'static str) -> Self {
        self.answer(status, why, ResponseBody::Nothing)
    }

    /// Callers may be told to slow down.
    pub(crate) fn limited(mut self) -> Self {
        self.doc.is_limited = true;
        self
    }

    fn answer(mut self, status: u16, why: &'static str, body: ResponseBody) -> Self {
        self.doc.answers.push(ResponseDoc { status, why, body });
        self
    }
}
