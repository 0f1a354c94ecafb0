/** In place of what takes other containers than MP4 apart; `vite.config.ts` puts it there. Nothing is for it. */
const noDemuxer = { probe: () => false };

export default noDemuxer;
export { noDemuxer as AC3Demuxer };
