package genstamp.adapter.pipeline;

import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;

/** How far the writer is with the block. */
enum Stage {
  NONE(null),
  SETUP_CREATE(BlockConstructionStage.PIPELINE_SETUP_CREATE),
  SETUP_APPEND(BlockConstructionStage.PIPELINE_SETUP_APPEND),
  SETUP_APPEND_RECOVERY(BlockConstructionStage.PIPELINE_SETUP_APPEND_RECOVERY),
  STREAMING(null),
  STREAMING_RECOVERY(BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY),
  CLOSE(null),
  CLOSE_RECOVERY(BlockConstructionStage.PIPELINE_CLOSE_RECOVERY),
  ENDED(null),
  CLOSED(null),
  FAILED(null);

  /** What datanodes are asked for in this stage; null where no pipeline is set up. */
  final BlockConstructionStage request;

  Stage(BlockConstructionStage request) {
    this.request = request;
  }

  /** The stage in which a pipeline is set up again that has failed in this one. */
  Stage again() {
    return switch (this) {
      case SETUP_APPEND -> SETUP_APPEND_RECOVERY;
      case STREAMING -> STREAMING_RECOVERY;
      case CLOSE -> CLOSE_RECOVERY;
      default -> this;
    };
  }
}
