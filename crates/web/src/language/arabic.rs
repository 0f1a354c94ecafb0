//! Arabic.

use super::{Notice, Plain, Texts};

pub(super) static TEXTS: Texts = Texts {
    tag: "ar",
    direction: "rtl",
    not_found: Notice {
        title: "الصفحة غير موجودة",
        explanation: "لا يوجد شيء في هذا العنوان. قد يكون الرابط قديمًا أو مكتوبًا بشكل خاطئ.",
        link: "الانتقال إلى البث",
    },
    failed: Notice {
        title: "حدث خطأ ما",
        explanation: "تعذّر على الخادم عرض هذه الصفحة. يُرجى إعادة المحاولة بعد لحظات.",
        link: "الانتقال إلى البث",
    },
    no_connection: Notice {
        title: "لا يوجد اتصال",
        explanation: "يتعذّر الوصول إلى الصفحة. تحقّق من اتصالك وأعد المحاولة.",
        link: "إعادة المحاولة",
    },
    plain: Plain {
        needs_script: "تحتاج الدردشة وأزرار المشغّل إلى JavaScript.",
        live: "مباشر الآن",
        open_in_player: "فتح البث في مشغّل مثل VLC",
        offline: "البث متوقف",
        address_when_live: "عندما يبدأ البث، يعمل هذا العنوان في VLC ومشغّلات أخرى",
        mature: "محتوى للبالغين",
        recordings: "التسجيلات",
        no_recordings: "لا توجد تسجيلات بعد.",
        open_recording: "افتح التسجيل في مشغّل مثل VLC",
    },
};
