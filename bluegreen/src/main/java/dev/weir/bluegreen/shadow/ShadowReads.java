package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.traffic.IndexRenamingTransformer;
import dev.weir.bluegreen.traffic.UpstreamCluster;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.http.body.BodyTransformer;
import dev.weir.http.error.BodyTransformException;
import dev.weir.http.proxy.InternalProxiedRequest;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RouteFilter;
import dev.weir.routing.traffic.BodyIndexRenamer;
import dev.weir.routing.traffic.IndexRenamer.Result;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Repeats reads of one cluster on another one, as policies say, and compares the responses.
 * Clusters are registered while the gateway starts. Safe on any thread.
 */
public final class ShadowReads implements AutoCloseable {
  private static final long MIN_BYTES = 8 << 20;
  private static final long MAX_BYTES = 256 << 20;
  private static final int HEAP_DIVISOR = 32;

  private final RequestPolicy.Section<ShadowPolicy> section;
  private final Map<String, UpstreamCluster> clusters = new ConcurrentHashMap<>();
  private final ShadowService service;

  /**
   * Creates the service without clusters.
   *
   * @param listener is notified of the results of comparisons
   */
  public ShadowReads(
      PolicySectionRegistry<TrafficPolicy> sections,
      ShadowEnvironment environment,
      ComparisonListener listener) {
    this.section = sections.register((name, traffic, before) -> traffic.shadow());
    this.service =
        new ShadowService(
            this::target,
            Math.clamp(Runtime.getRuntime().maxMemory() / HEAP_DIVISOR, MIN_BYTES, MAX_BYTES),
            environment,
            listener);
  }

  /** Adds a cluster that reads can be repeated on. */
  public void register(UpstreamCluster cluster) {
    clusters.put(cluster.name(), cluster);
  }

  private @Nullable ShadowTarget target(String name) {
    UpstreamCluster cluster = clusters.get(name);
    return cluster == null || cluster.unavailableReason() != null
        ? null
        : new ShadowCluster(cluster);
  }

  /** A cluster as a target of shadow reads, reached through its handler of internal requests. */
  private record ShadowCluster(UpstreamCluster upstream) implements ShadowTarget {
    @Override
    public String cluster() {
      return upstream.name();
    }

    @Override
    public RequestHandler handler() {
      return upstream.internalHandler();
    }

    @Override
    public @Nullable String translateUri(String uri) {
      return upstream.indexRename().renameUri(uri) instanceof Result.Renamed(String known)
          ? known
          : null;
    }

    @Override
    public boolean hasRenamedBodyIndices(String askedUri) {
      return !upstream.indexRename().isEmpty() && BodyIndexRenamer.formatOf(askedUri) != null;
    }

    @Override
    public ShadowTarget.PassThroughSender passThroughSender() {
      return (request, answer) ->
          InternalProxiedRequest.send(
              upstream.proxy(), (EventLoop) request.eventLoop(), request, answer);
    }

    @Override
    public @Nullable ByteBuffer translateBody(
        String askedUri, List<Map.Entry<String, String>> headers, ByteBuffer asked) {
      BodyTransformer change =
          IndexRenamingTransformer.of(upstream.indexRename(), askedUri, contentType(headers));
      if (change == null) {
        return ShadowTarget.super.translateBody(askedUri, headers, asked);
      }
      ByteBuf renamed = Unpooled.buffer(asked.remaining());
      try {
        change.transform(Unpooled.wrappedBuffer(asked), renamed);
        change.finish(renamed);
        return renamed.nioBuffer();
      } catch (BodyTransformException untranslatable) {
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

  /** The filter that repeats a cluster's coordinated reads by a policy. */
  public RequestFilter requestFilter(String cluster, RequestPolicy policy) {
    ShadowPolicy shadow = policy.get(section);
    return isDisabled(shadow, cluster)
        ? RequestFilter.NONE
        : new ShadowReadFilter(new ReadSource(cluster, policy.name()), shadow, service);
  }

  /** The filter that repeats a cluster's pass-through reads by a policy. */
  public RouteFilter routeFilter(String cluster, RequestPolicy policy) {
    ShadowPolicy shadow = policy.get(section);
    return isDisabled(shadow, cluster) || !shadow.passThroughEnabled()
        ? RouteFilter.NONE
        : new PassThroughShadowFilter(
            new ReadSource(cluster, policy.name()), policy, shadow, service);
  }

  private static boolean isDisabled(ShadowPolicy shadow, String cluster) {
    return shadow.targetCluster().isEmpty() || shadow.targetCluster().equals(cluster);
  }

  /** Repeats the reads and counts the outcomes. */
  public ShadowService service() {
    return service;
  }

  @Override
  public void close() {
    service.close();
  }
}
