package dev.weir.responses.export;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Notices a client that takes none of the waiting parts of a response for some time. Confined to
 * the request's event loop.
 */
final class ClientStallDetector {
  private final ExportTimer timer;
  private final Executor eventLoop;
  private final ExportBodySource body;
  private final Runnable onStalled;
  private Runnable cancelTimer = () -> {};
  private boolean isStopped;

  /**
   * Creates a detector that is not started.
   *
   * @param onStalled runs at most once
   */
  ClientStallDetector(
      ExportTimer timer, Executor eventLoop, ExportBodySource body, Runnable onStalled) {
    this.timer = timer;
    this.eventLoop = eventLoop;
    this.body = body;
    this.onStalled = onStalled;
  }

  /** Checks after each {@code timeout} whether a part was sent meanwhile. */
  void start(Duration timeout) {
    if (isStopped) {
      return;
    }
    boolean wasWaiting = body.pendingCount() > 0;
    long sentBefore = body.sentCount();
    cancelTimer =
        timer.schedule(
            timeout,
            eventLoop,
            () -> {
              if (wasWaiting && body.pendingCount() > 0 && body.sentCount() == sentBefore) {
                stop();
                onStalled.run();
              } else {
                start(timeout);
              }
            });
  }

  void stop() {
    isStopped = true;
    cancelTimer.run();
  }
}
