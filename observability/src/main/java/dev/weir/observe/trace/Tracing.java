package dev.weir.observe.trace;

import dev.weir.config.policy.TracesPolicy;
import dev.weir.observe.Figures;
import dev.weir.model.Trace;
import dev.weir.model.TraceParent;
import dev.weir.model.Traces;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records some of the requests as traces, and has their spans sent to a collector; none while it is
 * off. Safe on any thread.
 */
public final class Tracing implements Traces, AutoCloseable {
  private final @Nullable SpanPipe pipe;
  private final DoubleSupplier random;
  private volatile TracesPolicy policy;

  /**
   * Makes it of a policy.
   *
   * @param pipe where spans go; null when none are made
   * @param random draws numbers from 0 to 1, 1 excluded
   */
  Tracing(TracesPolicy policy, @Nullable SpanPipe pipe, DoubleSupplier random) {
    this.policy = policy;
    this.pipe = pipe;
    this.random = random;
  }

  /**
   * Begins by a policy.
   *
   * @param encrypted whether clients come by HTTPS
   * @param figures where what became of spans is shown
   */
  public static Tracing of(TracesPolicy policy, boolean encrypted, Figures figures) {
    SpanCounts counts = new SpanCounts(policy.maxWaiting());
    counts.bind(figures);
    return new Tracing(
        policy,
        policy.enabled() ? SpanPipe.toCollector(policy, encrypted, counts) : null,
        () -> ThreadLocalRandom.current().nextDouble());
  }

  /** Chooses by another policy from now on; where spans go stays as it is. */
  public void use(TracesPolicy changed) {
    policy = changed;
  }

  @Override
  public Trace begin(@Nullable String parent, long startedNanos) {
    if (pipe == null) {
      return Trace.NONE;
    }
    TraceParent sender = parent == null ? null : TraceParent.parse(parent);
    return chosen(sender) ? pipe.begin(sender, startedNanos) : Trace.NONE;
  }

  private boolean chosen(@Nullable TraceParent sender) {
    TracesPolicy now = policy;
    if (sender != null && now.followClients()) {
      return sender.sampled();
    }
    return random.getAsDouble() * 100 < now.samplePercent();
  }

  /** Sends what is left, for as long as the policy lets it. */
  @Override
  public void close() {
    if (pipe != null) {
      pipe.close();
    }
  }
}
