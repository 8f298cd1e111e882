package dev.weir.gateway;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.bluegreen.traffic.Cluster;
import dev.weir.bluegreen.traffic.RenamedBody;
import dev.weir.bluegreen.traffic.TrafficDesk;
import dev.weir.http.BodyChange;
import dev.weir.http.InnerPassage;
import dev.weir.http.UnchangeableBodyException;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.bluegreen.shadow.PassedReads;
import dev.weir.bluegreen.shadow.ShadowDesk;
import dev.weir.bluegreen.shadow.Shadowing;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.BodyRename;
import dev.weir.routing.traffic.IndexRename.Renamed;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Has reads of a cluster repeated on another one where a policy says so. Safe on any thread. */
final class ShadowReads implements TrafficDesk.ReadWatcher, AutoCloseable {
  private static final long LEAST_BYTES = 8 << 20;
  private static final long MOST_BYTES = 256 << 20;
  private static final int SHARE_OF_HEAP = 32;

  private final ShadowDesk desk;

  /**
   * Makes it.
   *
   * @param listener hears what comparisons came to
   */
  ShadowReads(Commons commons, Sides sides, GatewayMemory memory, ShadowDesk.Listener listener) {
    this.desk =
        new ShadowDesk(
            name -> target(sides.named(name)),
            Math.clamp(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP, LEAST_BYTES, MOST_BYTES),
            new ShadowDesk.Surroundings(
                () -> commons.busy() || half(commons.replies()) || passesMuch(commons, sides),
                commons.loops().group()::next,
                kept -> new QuietMemory(memory.open(kept.method(), kept.uri(), null)),
                commons.delays()::unlessCalledOff,
                System::nanoTime,
                System::currentTimeMillis,
                () -> ThreadLocalRandom.current().nextDouble()),
            listener);
  }

  /** Whether as many requests pass through as would be much of those that are let in. */
  private static boolean passesMuch(Commons commons, Sides sides) {
    long underWay = 0;
    for (Side side : sides.all()) {
      ProxyStats stats = side.proxy().stats();
      if (stats.waiting() > 0) {
        return true;
      }
      underWay += stats.underWay();
    }
    return underWay > commons.admission().most() / 2;
  }

  private static boolean half(MemoryLedger replies) {
    return replies.held() > replies.limitBytes() / 2;
  }

  private static ShadowDesk.@Nullable Target target(@Nullable Side side) {
    return side == null || side.missing() != null ? null : new Target(side);
  }

  /**
   * A cluster, without the door at which clients' requests are counted. What its nodes have to
   * check themselves is not sent over transport, where the gateway has rights of its own.
   */
  private record Target(Side side) implements ShadowDesk.Target {
    @Override
    public String cluster() {
      return side.name();
    }

    @Override
    public RequestHandler handler() {
      return new ReachedHandler(
          side.backend()::unreachable, new RoutedHandler(side.router(), side.walk().door()));
    }

    @Override
    public @Nullable String uri(String uri) {
      return side.rename().uri(uri) instanceof Renamed.As(String known) ? known : null;
    }

    @Override
    public boolean renamesBody(String askedUri) {
      return !side.rename().isEmpty() && BodyRename.formOf(askedUri) != null;
    }

    @Override
    public ShadowDesk.Nodes nodes() {
      return (request, answer) ->
          InnerPassage.open(side.proxy(), (EventLoop) request.home(), request, answer);
    }

    @Override
    public @Nullable ByteBuffer body(
        String askedUri, List<Map.Entry<String, String>> headers, ByteBuffer asked) {
      BodyChange change = RenamedBody.of(side.rename(), askedUri, contentType(headers));
      if (change == null) {
        return ShadowDesk.Target.super.body(askedUri, headers, asked);
      }
      ByteBuf renamed = Unpooled.buffer(asked.remaining());
      try {
        change.take(Unpooled.wrappedBuffer(asked), renamed);
        change.end(renamed);
        return renamed.nioBuffer();
      } catch (UnchangeableBodyException unsayable) {
        return null;
      }
    }

    private static @Nullable String contentType(List<Map.Entry<String, String>> headers) {
      for (Map.Entry<String, String> header : headers) {
        if (header.getKey().equalsIgnoreCase("Content-Type")) {
          return header.getValue();
        }
      }
      return null;
    }
  }

  @Override
  public RequestHandler around(String policy, TrafficPolicy traffic, Cluster cluster) {
    ShadowPolicy shadow = traffic.shadow();
    return isNone(shadow, cluster)
        ? cluster.handler()
        : new Shadowing(
            new Shadowing.Whose(cluster.name(), policy), cluster.handler(), shadow, desk);
  }

  @Override
  public RequestRouter router(RequestPolicy policy, TrafficPolicy traffic, Cluster cluster) {
    RequestRouter router = cluster.router(policy);
    ShadowPolicy shadow = traffic.shadow();
    return isNone(shadow, cluster) || !shadow.passThrough()
        ? router
        : new PassedReads(
            new Shadowing.Whose(cluster.name(), policy.name()), policy, router, shadow, desk);
  }

  private static boolean isNone(ShadowPolicy shadow, Cluster cluster) {
    return shadow.to().isEmpty() || shadow.to().equals(cluster.name());
  }

  ShadowDesk desk() {
    return desk;
  }

  @Override
  public void close() {
    desk.close();
  }
}
