package dev.weir.http.intake;

import dev.weir.http.proxy.ProxyFailure;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that a node carries out in the gateway's place, until its deadline. Confined to the
 * request's event loop.
 */
final class DelegatedRequest {
  private final Delegation.Started delegation;
  private final @Nullable Future<?> timer;
  private Consumer<ProxyFailure> expiryHandler;
  private boolean expired;

  /**
   * Starts the timer.
   *
   * @param expiryHandler called when the deadline passes; may ignore it
   */
  DelegatedRequest(
      Delegation.Started delegation,
      EventLoop eventLoop,
      long nowNanos,
      Consumer<ProxyFailure> expiryHandler) {
    this.delegation = delegation;
    this.expiryHandler = expiryHandler;
    this.timer =
        delegation.deadline().isSet()
            ? eventLoop.schedule(
                this::expire,
                Math.max(0, delegation.deadline().remainingNanos(nowNanos)),
                TimeUnit.NANOSECONDS)
            : null;
  }

  /** Continues on another cluster, under the same deadline. */
  void continueWith(Consumer<ProxyFailure> handler) {
    expiryHandler = handler;
  }

  private void expire() {
    expired = true;
    expiryHandler.accept(delegation.expiry().get());
  }

  /** Called when the request has ended. */
  void end() {
    if (timer != null) {
      timer.cancel(false);
    }
    delegation.onEnd().accept(expired);
  }
}
