/** Spanish, for the menu, the search and the help page. */
import type { enAdminMenu } from './en.admin.menu.ts';
import type { SameKeys } from './index.ts';

export const esAdminMenu: SameKeys<typeof enAdminMenu> = {
  'nav.close': 'Cerrar',
  'nav.audience': 'Seguidores y publicaciones',
  'nav.social': 'Social',
  'nav.help': 'Ayuda',

  'find.open': 'Buscar',
  'find.title': 'Buscar',
  'find.label': 'Buscar páginas y ajustes',
  'find.results': 'Páginas y ajustes',
  'find.nothing': 'No se encontró nada. Prueba otra palabra.',
  'find.count': {
    one: '{count} resultado',
    many: '{count} de resultados',
    other: '{count} resultados',
  },

  'about.home':
    'Resumen: qué necesita atención, vista previa en vivo, configurar OBS, clave de transmisión, código para insertar, stream key',
  'about.viewer-info': 'Cifras de audiencia, gráficos y quién está viendo ahora',
  'about.chat/messages': 'Leer, ocultar y buscar mensajes del chat; mensajes retenidos; registro de moderación',
  'about.chat/users': 'Participantes, usuarios, moderadores, vetos, baneos, direcciones vetadas',
  'about.chat/emojis': 'Subir emojis y emotes personalizados',
  'about.federation/followers': 'Seguidores, solicitudes y bloqueos del Fediverse',
  'about.federation/posts': 'Escribir a tus seguidores; lo que has publicado',
  'about.federation/servers': 'Otras transmisiones en vivo que recomiendas en tu página',
  'about.config/general': 'Nombre, resumen, logo, texto Acerca de, etiquetas, enlaces, transmisiones anunciadas',
  'about.config/appearance': 'Colores, CSS y scripts de la página de espectadores; tema',
  'about.config/server': 'Dirección pública, claves de transmisión, privacidad, contraseña de administración',
  'about.config/video': 'Calidades, transcodificación, codificador, latencia, retraso, reproducción automática',
  'about.config-chat': 'Quién puede escribir, protección contra spam, filtro de palabras, modo lento',
  'about.config-federation':
    'Fediverse, Mastodon, ActivityPub: cuenta, publicaciones al transmitir, servidores bloqueados',
  'about.hardware-info': 'Procesador, memoria y disco del servidor: CPU, RAM, almacenamiento',
  'about.machines': 'Las máquinas del clúster: nodos, roles, carga, versiones',
  'about.stream-health':
    'Cómo llega la transmisión a los espectadores: buffering, errores, ancho de banda, velocidad de transcodificación',
  'about.logs': 'Qué hizo el servidor: advertencias, errores, registro de depuración, logs',
  'about.federation/inbox': 'Me gusta, impulsos, respuestas, citas y denuncias del Fediverse; bandeja de entrada',
  'about.federation/deliveries': 'Publicaciones en camino a otros servidores, fallos, reintentos',
  'about.streams': 'Historial de tus transmisiones',
  'about.webhooks': 'Avisar a bots y servicios de los eventos',
  'about.access-tokens': 'Acceso a la API para bots y overlays',
  'about.external-actions': 'Botones bajo el reproductor',
  'about.plugins': 'Instalar, configurar y activar extensiones',
  'about.help': 'Documentación, API, contraseña perdida, copias de seguridad',
  'about.config-notify': 'Notificaciones push del navegador, Discord',

  'help.find': 'Encontrar un ajuste',
  'help.find.text': 'Pulsa {keys} en cualquier página o usa la búsqueda en la parte superior del menú.',
  'help.live': 'Transmitir en vivo',
  'help.live.text': 'En Inicio están el servidor y la clave de transmisión para OBS y otros codificadores.',
  'help.live.open': 'Abrir Inicio',
  'help.console': 'En la consola del servidor',
  'help.console.password': 'Elegir una contraseña de administración nueva',
  'help.console.session': 'Mostrar un enlace que te inicia la sesión',
  'help.console.backup': 'Guardar todos los datos en un archivo',
  'help.console.all': 'Todos los comandos y opciones',
  'help.api': 'Para programas',
  'help.api.text': 'Todas las rutas del servidor, con lo que reciben y responden.',
  'help.api.open': 'Documentación de la API',

  'setting.schedule/enabled.label': 'Mostrar las transmisiones anunciadas',
  'setting.schedule/enabled.help': 'Los visitantes ven las transmisiones que has anunciado.',
  'setting.schedule/showcountdown.label': 'Cuenta atrás hasta la próxima transmisión',
  'setting.schedule/showcountdown.help': 'Las páginas y otros programas muestran cuánto falta.',
  'setting.schedule/chatopenminutes.label': 'Abrir el chat antes',
  'setting.schedule/chatopenminutes.help':
    'Los espectadores pueden hablar antes de que empiece una transmisión anunciada.',
  'setting.schedule/remindermessage.label': 'Mensaje al abrirse el chat',
  'setting.schedule/remindermessage.help':
    'Se envía a todos en el chat. Admite Markdown; déjalo vacío para no enviar nada.',
  'schedule.title': 'Transmisiones anunciadas',
  'schedule.text': 'Anuncia transmisiones mediante la API o un plugin; aquí eliges qué ven de ello los visitantes.',
  'schedule.open.never': 'No antes de que empiece la transmisión',
  'schedule.open.minutes': {
    one: '{count} minuto antes',
    many: '{count} de minutos antes',
    other: '{count} minutos antes',
  },
};
