package dev.weir.node.compression;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.lifecycle.LifecycleComponent;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportInterceptor;

/** Compression of payloads by zstd, the capability {@code zstd-payloads}. */
public final class CompressionFeature implements NodeFeature {
  private @Nullable CompressionInterceptor interceptor;

  /** Makes the feature; the plugin does. */
  public CompressionFeature() {}

  @Override
  public String capability() {
    return "zstd-payloads";
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of();
  }

  /** Returns the interceptor, for the constructor of {@link CompressedRequestReaders}. */
  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    return List.of(interceptor(threadPool.getThreadContext()));
  }

  @Override
  public Collection<Class<? extends LifecycleComponent>> services() {
    return List.of(CompressedRequestReaders.class);
  }

  /** Returns what compresses responses, the same at each call. */
  public synchronized TransportInterceptor transportInterceptor(ThreadContext context) {
    return interceptor(context);
  }

  private synchronized CompressionInterceptor interceptor(ThreadContext context) {
    if (interceptor == null) {
      interceptor = new CompressionInterceptor(context);
    }
    return Objects.requireNonNull(interceptor);
  }
}
