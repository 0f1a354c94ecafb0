/** Spanish, for the admin pages about what the server measures. */
import type { enAdminInsight } from './en.admin.insight.ts';
import type { SameKeys } from './index.ts';

export const esAdminInsight: SameKeys<typeof enAdminInsight> = {
  'nav.viewers': 'Espectadores',
  'nav.hardware': 'Hardware',
  'nav.health': 'Estado de la transmisión',

  'chart.range': '{name}: entre {low} y {high}.',
  'chart.empty': 'No se midió nada en este periodo.',
  'chart.table': 'Mostrar como tabla',

  'viewers.numbers': 'Espectadores en cifras',
  'viewers.chart': 'Espectadores a lo largo del tiempo',
  'viewers.count': 'Espectadores',
  'viewers.range': 'Periodo',
  'viewers.present': 'Viendo ahora',
  'viewers.present.text': 'Solo tú ves esto.',
  'viewers.since': 'Viendo desde hace',
  'viewers.empty.title': 'Nadie está viendo la transmisión',
  'viewers.empty.text': 'Quien abra la transmisión aparecerá aquí en unos segundos.',

  'hardware.now': 'Ahora mismo',
  'hardware.used': 'En uso',
  'hardware.cpu': 'Procesador',
  'hardware.cpu.text': 'Si está a plena carga mucho tiempo, la transmisión se entrecorta para todos.',
  'hardware.cpu.fine': 'sobra capacidad',
  'hardware.cpu.busy': 'ocupado; vigílalo',
  'hardware.cpu.full': 'demasiado ocupado: usa menos calidades o un equipo más potente',
  'hardware.memory': 'Memoria',
  'hardware.memory.text': 'Si se agota, el sistema puede cerrar el servidor.',
  'hardware.memory.fine': 'sobra memoria',
  'hardware.memory.busy': 'empieza a escasear',
  'hardware.memory.full': 'casi llena: cierra otros programas o añade memoria',
  'hardware.disk': 'Disco',
  'hardware.disk.text': 'Si se llena, ya no se puede guardar nada: ni el chat ni los ajustes.',
  'hardware.disk.fine': 'sobra espacio',
  'hardware.disk.busy': 'se está llenando',
  'hardware.disk.full': 'casi lleno: libera espacio pronto',
  'hardware.empty.title': 'Todavía no se ha medido nada',
  'hardware.empty.text': 'Las primeras cifras aparecen dos minutos después de arrancar el servidor, como mucho.',

  'health.offline': 'No estás en vivo. Abajo está lo último que informaron los reproductores de los espectadores.',
  'health.fine': {
    one: 'El único reproductor que informa reproduce sin problemas.',
    many: 'Los {count} de reproductores que informan reproducen sin problemas.',
    other: 'Los {count} reproductores que informan reproducen sin problemas.',
  },
  'health.stall': {
    one: 'A {count} de {players} espectadores se le detiene la reproducción.',
    many: 'A {count} de {players} espectadores se les detiene la reproducción.',
    other: 'A {count} de {players} espectadores se les detiene la reproducción.',
  },
  'health.stall.slow': {
    one: 'A {count} de {players} espectadores se le detiene la reproducción: la conexión es más lenta que {speed}.',
    many: 'A {count} de {players} espectadores se les detiene la reproducción: sus conexiones son más lentas que {speed}.',
    other:
      'A {count} de {players} espectadores se les detiene la reproducción: sus conexiones son más lentas que {speed}.',
  },
  'health.stall.some': {
    one: 'A {count} de {players} espectadores se le detiene la reproducción.',
    many: 'A {count} de {players} espectadores se les detiene la reproducción; {slow} de ellos tienen conexiones más lentas que {speed}.',
    other:
      'A {count} de {players} espectadores se les detiene la reproducción; {slow} de ellos tienen conexiones más lentas que {speed}.',
  },
  'health.representation': 'El {percent} de los reproductores informa de cómo le va; los gráficos los muestran.',
  'health.seconds': '{seconds}\u00a0s',
  'health.middle': 'Mediana',
  'health.low': 'Mínimo',
  'health.high': 'Máximo',
  'health.trouble': 'Problemas de reproducción',
  'health.trouble.text':
    'Unos pocos de vez en cuando son normales. Si hay muchos a la vez, revisa primero tu propia subida.',
  'health.errors': 'Errores',
  'health.changes': 'Cambios de calidad',
  'health.latency': 'Latencia',
  'health.latency.text': 'A qué distancia de ti van los espectadores.',
  'health.download': 'Tiempo de descarga de los segmentos',
  'health.download.text':
    'Un segmento dura {seconds} s. Los espectadores que tardan más en descargarlo tienen que esperar.',
  'health.speed': 'Velocidad de conexión de los espectadores',
  'health.speed.text': 'Los espectadores por debajo de la tasa de bits de tu transmisión tienen que esperar.',
  'health.speed.rates': 'Tu transmisión necesita {rates}. Los espectadores por debajo de eso tienen que esperar.',
  'health.empty.title': 'Todavía no ha informado ningún reproductor',
  'health.empty.text': 'Mientras la gente ve la transmisión, sus reproductores informan aquí de lo bien que les llega.',

  'notYet.notify': 'Notificaciones',
  'notYet.notify.text':
    'Este servidor todavía no envía notificaciones. Los webhooks pueden avisar a tu bot cuando empiezas a transmitir.',
};
