package dev.weir.http.proxy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** State shared by all event loops of a {@link NodeProxy}. Safe on any thread. */
final class ProxyContext {
  private final ProxyOptions options;
  private final ProxyTargetSelector targets;
  private final Class<? extends Channel> channelClass;
  private final ByteBufAllocator allocator;
  private final @Nullable Supplier<SslContext> tls;
  private final LongSupplier nanoClock;
  private final TlsMismatchReporter tlsMismatches;
  private final LongAdder connections = new LongAdder();
  private final LongAdder waiting = new LongAdder();
  private final LongAdder inFlight = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder rejectionRetries = new LongAdder();
  private final LongAdder failures = new LongAdder();

  /** Creates the context; {@link NodeProxy#NodeProxy} describes the parameters. */
  ProxyContext(
      ProxyOptions options,
      ProxyTargetSelector targets,
      Class<? extends Channel> channelClass,
      ByteBufAllocator allocator,
      @Nullable Supplier<SslContext> tls,
      LongSupplier nanoClock) {
    this.options = options;
    this.targets = targets;
    this.channelClass = channelClass;
    this.allocator = allocator;
    this.tls = tls;
    this.nanoClock = nanoClock;
    this.tlsMismatches = new TlsMismatchReporter(nanoClock);
  }

  ProxyStats stats() {
    return new ProxyStats(
        connections.sum(),
        waiting.sum(),
        inFlight.sum(),
        retries.sum(),
        rejectionRetries.sum(),
        failures.sum());
  }

  LongAdder connections() {
    return connections;
  }

  LongAdder waiting() {
    return waiting;
  }

  LongAdder inFlight() {
    return inFlight;
  }

  LongAdder retries() {
    return retries;
  }

  LongAdder rejectionRetries() {
    return rejectionRetries;
  }

  LongAdder failures() {
    return failures;
  }

  TlsMismatchReporter tlsMismatches() {
    return tlsMismatches;
  }

  ProxyOptions options() {
    return options;
  }

  ProxyTargetSelector targets() {
    return targets;
  }

  Class<? extends Channel> channelClass() {
    return channelClass;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  /** Returns the context for the next connection; null for plain HTTP. */
  @Nullable SslContext tls() {
    return tls == null ? null : tls.get();
  }

  long nanoTime() {
    return nanoClock.getAsLong();
  }
}
