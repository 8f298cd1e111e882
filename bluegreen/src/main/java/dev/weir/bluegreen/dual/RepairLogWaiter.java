package dev.weir.bluegreen.dual;

import dev.weir.model.RequestContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delays a response until the missed writes are on disk or the log has failed. Confined to the
 * request's event loop.
 */
final class RepairLogWaiter {
  private static final Logger LOG = LoggerFactory.getLogger(RepairLogWaiter.class);

  private final DualWriteFilter dualWrites;
  private final DualWriteTarget target;
  private final RequestContext request;
  private final Runnable onDone;
  private Runnable stopTimer = () -> {};
  private boolean finished;

  RepairLogWaiter(
      DualWriteFilter dual, DualWriteTarget target, RequestContext whole, Runnable onLogged) {
    this.dualWrites = dual;
    this.target = target;
    this.request = whole;
    this.onDone = onLogged;
  }

  void start(List<RepairEntry> missed) {
    stopTimer =
        dualWrites
            .clocks()
            .delays()
            .scheduleCancellable(
                DualWriteSession.REPAIR_LOG_TIMEOUT,
                request.eventLoop(),
                () ->
                    request.run(() -> {
                      LOG.error(
                          "the repair log has not answered for {}",
                          DualWriteSession.REPAIR_LOG_TIMEOUT);
                      finish(missed.size(), false);
                    }));
    target
        .repairLog()
        .append(
            missed, failure -> request.runLater(() -> finish(missed.size(), isPersisted(failure))));
  }

  private static boolean isPersisted(@Nullable Exception failure) {
    return failure == null;
  }

  private void finish(int entries, boolean logged) {
    if (finished) {
      return;
    }
    finished = true;
    stopTimer.run();
    if (logged) {
      dualWrites.counts().logged(target.targetCluster(), entries);
    } else {
      dualWrites.counts().unlogged(target.targetCluster(), entries);
    }
    onDone.run();
  }
}
