package dev.weir.gateway;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.bluegreen.shadow.PassThroughShadowRouter;
import dev.weir.bluegreen.shadow.ShadowService;
import dev.weir.bluegreen.shadow.ShadowingHandler;
import dev.weir.bluegreen.traffic.ClusterRouter;
import dev.weir.bluegreen.traffic.IndexRenamingTransformer;
import dev.weir.bluegreen.traffic.UpstreamCluster;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.http.error.BodyTransformException;
import dev.weir.http.body.BodyTransformer;
import dev.weir.http.proxy.InternalProxiedRequest;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.BodyIndexRenamer;
import dev.weir.routing.traffic.IndexRenamer.Result;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Has reads of a cluster repeated on another one where a policy says so. Safe on any thread. */
final class ShadowReadDispatcher implements ClusterRouter.ReadDecorator, AutoCloseable {
  private static final long MIN_BYTES = 8 << 20;
  private static final long MAX_BYTES = 256 << 20;
  private static final int HEAP_DIVISOR = 32;

  private final ShadowService service;

  /**
   * Makes it.
   *
   * @param listener hears what comparisons came to
   */
  ShadowReadDispatcher(
      SharedServices commons,
      ClusterRuntimes sides,
      GatewayMemory memory,
      ShadowService.Listener listener) {
    this.service =
        new ShadowService(
            name -> target(sides.find(name)),
            Math.clamp(Runtime.getRuntime().maxMemory() / HEAP_DIVISOR, MIN_BYTES, MAX_BYTES),
            new ShadowService.Dependencies(
                () ->
                    commons.isBusy()
                        || isHalfFull(commons.responseMemory())
                        || isOverloaded(commons, sides),
                commons.eventLoops().group()::next,
                kept ->
                    new BackgroundRequestMemory(
                        memory.openAccount(kept.method(), kept.uri(), null)),
                commons.scheduler()::scheduleCancellable,
                System::nanoTime,
                System::currentTimeMillis,
                () -> ThreadLocalRandom.current().nextDouble()),
            listener);
  }

  /** Whether as many requests pass through as would be much of those that are let in. */
  private static boolean isOverloaded(SharedServices commons, ClusterRuntimes sides) {
    long underWay = 0;
    for (ClusterRuntime side : sides.all()) {
      ProxyStats stats = side.proxy().stats();
      if (stats.waiting() > 0) {
        return true;
      }
      underWay += stats.inFlight();
    }
    return underWay > commons.admissionController().maxInFlight() / 2;
  }

  private static boolean isHalfFull(MemoryPool replies) {
    return replies.usedBytes() > replies.limitBytes() / 2;
  }

  private static ShadowService.@Nullable Target target(@Nullable ClusterRuntime side) {
    return side == null || side.unavailableReason() != null ? null : new ShadowCluster(side);
  }

  /**
   * A cluster, without the door at which clients' requests are counted. What its nodes have to
   * check themselves is not sent over transport, where the gateway has rights of its own.
   */
  private record ShadowCluster(ClusterRuntime runtime) implements ShadowService.Target {
    @Override
    public String cluster() {
      return runtime.name();
    }

    @Override
    public RequestHandler handler() {
      return new ClusterAvailabilityFilter(
          runtime.connection()::unavailableReason,
          new RouteDispatcher(runtime.router(), runtime.pipeline().dispatcher()));
    }

    @Override
    public @Nullable String translateUri(String uri) {
      return runtime.indexRename().renameUri(uri) instanceof Result.Renamed(String known)
          ? known
          : null;
    }

    @Override
    public boolean hasRenamedBodyIndices(String askedUri) {
      return !runtime.indexRename().isEmpty() && BodyIndexRenamer.formatOf(askedUri) != null;
    }

    @Override
    public ShadowService.PassThroughSender passThroughSender() {
      return (request, answer) ->
          InternalProxiedRequest.send(
              runtime.proxy(), (EventLoop) request.eventLoop(), request, answer);
    }

    @Override
    public @Nullable ByteBuffer translateBody(
        String askedUri, List<Map.Entry<String, String>> headers, ByteBuffer asked) {
      BodyTransformer change =
          IndexRenamingTransformer.of(runtime.indexRename(), askedUri, contentType(headers));
      if (change == null) {
        return ShadowService.Target.super.translateBody(askedUri, headers, asked);
      }
      ByteBuf renamed = Unpooled.buffer(asked.remaining());
      try {
        change.transform(Unpooled.wrappedBuffer(asked), renamed);
        change.finish(renamed);
        return renamed.nioBuffer();
      } catch (BodyTransformException unsayable) {
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
  public RequestHandler decorate(String policy, TrafficPolicy traffic, UpstreamCluster cluster) {
    ShadowPolicy shadow = traffic.shadow();
    return isDisabled(shadow, cluster)
        ? cluster.handler()
        : new ShadowingHandler(
            new ShadowingHandler.Source(cluster.name(), policy),
            cluster.handler(),
            shadow,
            service);
  }

  @Override
  public RequestRouter decorateRouter(
      RequestPolicy policy, TrafficPolicy traffic, UpstreamCluster cluster) {
    RequestRouter router = cluster.router(policy);
    ShadowPolicy shadow = traffic.shadow();
    return isDisabled(shadow, cluster) || !shadow.passThroughEnabled()
        ? router
        : new PassThroughShadowRouter(
            new ShadowingHandler.Source(cluster.name(), policy.name()),
            policy,
            router,
            shadow,
            service);
  }

  private static boolean isDisabled(ShadowPolicy shadow, UpstreamCluster cluster) {
    return shadow.targetCluster().isEmpty() || shadow.targetCluster().equals(cluster.name());
  }

  ShadowService service() {
    return service;
  }

  @Override
  public void close() {
    service.close();
  }
}
