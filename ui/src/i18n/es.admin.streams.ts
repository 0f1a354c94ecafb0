/** Spanish, for the admin pages about past streams and their charts. */
import type { enAdminStreams } from './en.admin.streams.ts';
import type { SameKeys } from './index.ts';

export const esAdminStreams: SameKeys<typeof enAdminStreams> = {
  'chart.read': 'Leer en: {title}',
  'chart.read.help': 'Las teclas de flecha pasan de un momento al siguiente.',

  'viewers.range.1h': '1 hora',
  'viewers.range.24h': '24 horas',
  'viewers.range.7d': '7 días',
  'viewers.range.30d': '30 días',
  'viewers.range.all': 'Todo el tiempo',
  'viewers.average': 'Promedio',
  'viewers.most': 'Pico',
  'viewers.chart.text': 'Los huecos son momentos en los que no había transmisión ni nadie en el chat.',
  'viewers.clients': 'Conexiones al chat',

  'streams.more': 'Mostrar transmisiones anteriores',
  'streams.back': '← Todas las transmisiones pasadas',
  'streams.missing.title': 'Esa transmisión no existe',
  'streams.missing.text': 'Puede que la dirección esté mal escrita o sea de otro servidor.',
  'streams.average': 'Promedio de espectadores',
  'streams.watchTime': 'Tiempo de visualización',
  'streams.messages': 'Mensajes del chat',
  'streams.chatters': 'Participantes',
  'streams.uncounted': 'Esta transmisión es anterior a que el servidor contara estos datos.',
  'streams.chat.chart': 'Mensajes del chat a lo largo del tiempo',
  'streams.export.list': 'Descargar la lista',
  'streams.export.viewers': 'Descargar los espectadores',
  'streams.export.chat': 'Descargar el registro del chat',
  'streams.export.chat.off': 'El registro del chat no se puede descargar; actívalo en los ajustes del chat.',
  'streams.export.chat.text': 'Solo incluye los mensajes que aún no se han eliminado.',

  'streams.incidents': 'Incidentes',
  'streams.incidents.none': 'Nada salió mal',
  'streams.incidents.none.text': 'La conexión aguantó y el servidor mantuvo el ritmo.',
  'streams.incident': 'Qué pasó',
  'streams.incident.publisher-lost': 'Se perdió la conexión con tu codificador',
  'streams.incident.publisher-returned': 'Tu codificador volvió',
  'streams.incident.server-restarted': 'El servidor se reinició',
  'streams.incident.encoder-restarted': 'Hubo que reiniciar la transcodificación',
  'streams.incident.encoder-behind': 'La transcodificación no mantuvo el ritmo',
  'streams.incident.keyframe-interval': 'Los fotogramas clave estaban demasiado separados',
  'streams.incident.dropped-frames': 'Faltaban fotogramas',
  'streams.incident.jitter': 'Los fotogramas llegaron de forma irregular',
  'streams.incident.starving': 'Llegó mucho menos de lo habitual',
  'streams.incident.malformed': 'Algunos fotogramas no se pudieron leer',
  'streams.incident.mp3-sound': 'El sonido era MP3, que Chrome y Edge no reproducen',

  'streams.referrers': 'De dónde llegaron los visitantes',
  'streams.referrers.text': 'Visitas a la página y a los reproductores insertados durante la transmisión, por sitio.',
  'streams.referrers.none': 'No se contaron visitas',
  'streams.referrers.none.text':
    'Nadie abrió la página durante esta transmisión, o es anterior a que el servidor las contara.',
  'streams.referrer': 'Sitio',
  'streams.referrer.unknown': 'Directa o desconocida',
  'streams.referrer.others': 'Otros sitios',
  'streams.visits': 'Visitas',

  'setting.chat/logexport.label': 'Permitir descargar el registro del chat',
  'setting.chat/logexport.help':
    'Puedes guardar el chat de una transmisión como archivo mientras se conserven sus mensajes. Si lo haces, avisa a tus participantes.',
};
