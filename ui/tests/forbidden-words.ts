// Words that the pages do not use, because one thing has one name: docs/words.md, column by column.
import type { Language } from '../src/i18n/index.ts';

export interface Forbidden {
  /** What must not be written. */
  word: RegExp;
  /** What is written instead. */
  better: string;
  /** Keys where the word means something else. */
  except?: RegExp;
}

const ENGLISH: Forbidden[] = [
  { word: /\bbroadcast(s|er|ers|ing)?\b/i, better: 'stream, encoder' },
  { word: /\bpublishers?\b/i, better: 'encoder' },
  { word: /\bon[ -]air\b/i, better: 'live' },
  { word: /\bmut(e|es|ed|ing)\b/i, better: 'time out', except: /^(player\.|setting\.autoplay|preview\.)/ },
  { word: /\bsilenc(e|ed|ing)\b/i, better: 'time out' },
  { word: /\bauthenticat/i, better: 'sign in' },
  { word: /\blog(ged|ging)? ?(in|out)\b/i, better: 'sign in, sign out' },
  {
    word: /\busers?\b/i,
    better: 'chatter, viewer, person',
    except: /^(nav\.|banned\.empty\.text$|said\.setting-url-credentials$)/,
  },
  { word: /\bparticipants?\b/i, better: 'chatter' },
  { word: /\bchat lines?\b/i, better: 'message' },
  { word: /\bpass(ed|es)? through\b/i, better: 'source' },
  { word: /\b(rendition|rung|variant)s?\b/i, better: 'quality' },
  { word: /\b(delay|lag|distance)\b/i, better: 'latency' },
  { word: /\b(repost|toot)(s|ed)?\b/i, better: 'boost, post' },
  { word: /\bshar(es|ed)\b|^share$|^Shared$/, better: 'boost' },
  { word: /\bsubscribers?\b/i, better: 'follower' },
  { word: /\bimages?\b/i, better: 'picture' },
  { word: /\b(any|every|some)body\b/i, better: 'anyone, everyone, someone' },
  { word: /(?<!-)\bcolor(s|ed)?\b/i, better: 'colour' },
];

const GERMAN: Forbidden[] = [
  { word: /\bsendesoftware|sendeprogramm|streaming-programm/i, better: 'Encoder' },
  { word: /\bSenders?\b/, better: 'Encoder, Streamer' },
  { word: /\bauf Sendung\b|\bSendungen\b/, better: 'live, Streams' },
  { word: /nutzer(n|s|in|innen)?\b/i, better: 'Zuschauer, Person', except: /^nav\./ },
  { word: /durchgereicht|eigenes Bild/i, better: 'Original' },
  { word: /verzögerung/i, better: 'Latenz' },
  { word: /einlogg|authentifizier/i, better: 'anmelden' },
  { word: /verbann|\b(ge)?bann(t|en|e)\b/i, better: 'sperren' },
  {
    word: /\bstumm\b/i,
    better: 'stummgeschaltet',
    except: /^(player\.|setting\.autoplay|preview\.)/,
  },
  { word: /\btimeouts?\b/i, better: 'Stummschaltung' },
  { word: /verb(erg|org)/i, better: 'ausblenden', except: /^plugins\.access\./ },
  { word: /\bboost/i, better: 'teilen' },
];

const FRENCH: Forbidden[] = [
  { word: /\bdiffus/i, better: 'stream, encodeur, streamer' },
  { word: /à l’antenne|\ben live\b|\blives?\b(?!\.example)/i, better: 'en direct' },
  { word: /\blogiciels? de (diffusion|streaming)\b|émetteur/i, better: 'encodeur' },
  { word: /\bstreameu(r|se)s?\b/i, better: 'streamer' },
  { word: /opérateur|propriétaire|exploitant/i, better: 'administrateur' },
  { word: /(?<!\p{L})(tu|ton|tes|toi)(?!\p{L})/iu, better: 'vous' },
  {
    word: /\butilisateurs?\b|\bviewers?\b|\bchatt?eurs?\b/i,
    better: 'spectateur, participant, personne',
    except: /^said\.setting-url-credentials$/,
  },
  { word: /\b(original|originale|flux)\b/i, better: 'source, stream' },
  { word: /\b(variante|rendu|déclinaison)s?\b/i, better: 'qualité' },
  { word: /\b(ré-?encodage|transcodification)s?\b/i, better: 'transcodage' },
  { word: /\b(décalage|délai|lag)s?\b/i, better: 'latence' },
  { word: /authentifi|\bse connecter\b|\bconnectez-vous\b|\blog[- ]?in\b|\bse loguer\b/i, better: 's’identifier' },
  { word: /\btimeouts?\b|\bexclu(re|sion)|sourdine|réduire au silence/i, better: 'suspendre, suspension' },
  { word: /\bmuets?\b/i, better: 'suspendu, son coupé', except: /^(player\.|setting\.autoplay|preview\.)/ },
  { word: /\bbans?\b|débann/i, better: 'bannir, bannissement' },
  { word: /\bcach(e[rz]|é)/i, better: 'masquer' },
  { word: /\bfollowers?\b|\bsuiveurs?\b|\bsouscripteurs?\b/i, better: 'abonné' },
  { word: /\bboost|\brepartag|\brepublier/i, better: 'partager, partage' },
  { word: /\b(posts?|pouets?|toots?|statuts?)\b/i, better: 'publication', except: /^webhooks\.url\.help$/ },
  { word: /\b(records?|maximum de spectateurs)\b/i, better: 'pic' },
  { word: /\bpermissions?\b|\bdroits?\b/i, better: 'autorisation' },
  { word: /\b(photos?|illustrations?|visuels?)\b/i, better: 'image', except: /^setup\.phone\./ },
  { word: /\bextensions?\b|\bgreffons?\b/i, better: 'plugin' },
  { word: /\btokens?\b/i, better: 'jeton' },
  { word: /'|\p{L}[;!?]|(?<!\u202f)[;!?»]\s|«(?!\u202f)/u, better: '’, et une espace fine insécable (U+202F)' },
];

const SPANISH: Forbidden[] = [
  // The loanword beside "transmisión" (the address /hls/stream.m3u8 stays).
  { word: /(?<!\/)\bstreams?\b(?!\.)/i, better: 'transmisión' },
  // Spain only; "directa", "directamente" are other words.
  { word: /\bdirectos?\b/i, better: 'en vivo' },
  // There it is OBS's own menu name "Emisión".
  {
    word: /\b(re)?emisi(ón|ones)\b|retransmi(sión|siones|tir)/i,
    better: 'transmisión',
    except: /^(home\.broadcast\.text|setup\.obs\.2)$/,
  },
  { word: /\b(emisor(a|es)?|encoders?)\b/i, better: 'codificador, streamer' },
  // Who runs the server.
  { word: /\boperador(a|es)?\b|\bdueñ|\bpropietari/i, better: 'administrador' },
  // The pages say tú.
  { word: /\bustede?s?\b|\bvosotros\b|\bvuestr|\b(tenéis|podéis|hacéis|sois)\b/i, better: 'tú' },
  // There the user name inside an address is meant.
  { word: /\busuari[oa]s?\b/i, better: 'participante, espectador, persona', except: /^said\.setting-url-credentials$/ },
  { word: /\bchateador/i, better: 'participante' },
  // "fuente de navegador" is OBS's browser source.
  { word: /\b(fuente|sin tocar)\b/i, better: 'original', except: /^chatset\.readonly\.help$/ },
  { word: /\b(variantes?|renditions?)\b/i, better: 'calidad' },
  { word: /\brecodific/i, better: 'transcodificación' },
  { word: /\b(retraso|retardo|demora|delay|lag)s?\b/i, better: 'latencia' },
  { word: /\b(autentic|autentific|logue|ingres(a|ar|e|ado|o)\b|entra en tu cuenta)/i, better: 'iniciar sesión' },
  { word: /\btimeouts?\b|\bsuspen(d|s)/i, better: 'silenciar, silencio' },
  // No sound; a moderator's timeout is "silenciar, silencio".
  { word: /\b(mudo|mute|muteado|en silencio)\b/i, better: 'sin sonido' },
  { word: /\bbane(a|o)|\bexpuls/i, better: 'vetar, veto' },
  { word: /\bescond/i, better: 'ocultar' },
  { word: /\b(suscriptor|followers?\b)/i, better: 'seguidor' },
  { word: /\b(boost|retoot|retuit|reblog)/i, better: 'impulsar, impulso' },
  // There it is HTTP's POST.
  { word: /\b(posts?|toots?)\b/i, better: 'publicación', except: /^webhooks\.url\.help$/ },
  { word: /\brécords?\b/i, better: 'pico' },
  { word: /\bderechos\b|ámbito/i, better: 'permisos' },
  // "fotograma" is a frame, which is another word.
  { word: /\bfotos?\b|\bfotografía/i, better: 'imagen' },
  // One spelling; "vídeo" is Spain only.
  { word: /\b(vídeos?)\b/i, better: 'video' },
  // Neutral for both sides of the Atlantic.
  { word: /\bordenador(es)?\b|\bcomputador/i, better: 'equipo' },
];

const ARABIC: Forbidden[] = [
  { word: /ستريم|(?<!\p{L})(ال)?برودكاست/u, better: 'بث' },
  { word: /لايف|على الهواء/u, better: 'مباشر' },
  // What is encrypted is another word than what encodes.
  { word: /مشفّر|إنكودر|برنامج البث/u, better: 'مرمّز', except: /^logfact\.is_tls$/ },
  { word: /مذيع|ستريمر|بثّاث/u, better: 'صاحب البث' },
  { word: /(?<!\p{L})(ال)?(مالك|مدير)(?!\p{L})/u, better: 'المسؤول' },
  {
    word: /(?<!\p{L})(ال)?مستخدم(ون|ين)(?!\p{L})/u,
    better: 'مشاهد، مشارك، شخص',
    except: /^(nav\.|banned\.empty\.text$)/,
  },
  { word: /متفرج|متفرّج/u, better: 'مشاهد' },
  { word: /(?<!\p{L})(ال)?(دقّة|وضوح)(?!\p{L})/u, better: 'جودة' },
  { word: /كمون|زمن الاستجابة|لاغ(?!\p{L})/u, better: 'التأخير' },
  { word: /ولوج|توثيق الدخول|(?<!\p{L})لوجن/u, better: 'تسجيل الدخول' },
  { word: /تايم ?أوت|(?<!\p{L})(ال)?مهلة(?!\p{L})|إسكات/u, better: 'كتم مؤقت' },
  { word: /تبنيد|(?<!\p{L})طرد/u, better: 'حظر' },
  { word: /بلوك(?!\p{L})/u, better: 'حجب' },
  { word: /(?<!\p{L})(ال)?مشترك(ون|ين)?(?!\p{L})|فولور/u, better: 'متابع' },
  { word: /ريبوست|تعزيز|إعادة التغريد/u, better: 'إعادة نشر' },
  { word: /تغريد|(?<!\p{L})(ال)?بوست/u, better: 'منشور' },
  { word: /رقم قياسي/u, better: 'الذروة' },
  // The end of validity is another word.
  { word: /صلاحيات/u, better: 'أذونات' },
  { word: /بروكسي/u, better: 'وكيل' },
  { word: /إيموجي/u, better: 'رمز تعبيري' },
];

export const FORBIDDEN: Record<Language, Forbidden[]> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  ar: ARABIC,
};
