package dev.weir.node.load;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.index.IndexModule;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportInterceptor;

/** Load reports with the responses to shard requests, the capability {@code load-feedback}. */
public final class LoadFeedbackFeature implements NodeFeature {
  private final ServiceTimes times = new ServiceTimes();
  private final WorkTimer timer = new WorkTimer(System::nanoTime, times);
  private final RunningMerges merges = new RunningMerges();
  private volatile @Nullable LoadReporter reporter;

  private final Set<String> jointActions;

  /**
   * Makes the feature; the plugin does.
   *
   * @param jointActions transport actions whose responses are {@link JointResponse}s
   */
  public LoadFeedbackFeature(Set<String> jointActions) {
    this.jointActions = jointActions;
  }

  @Override
  public String capability() {
    return "load-feedback";
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of();
  }

  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    reporter =
        new LoadReporter(
            () -> clusterService.localNode().getId(),
            threadPool,
            times,
            new ProcessSampler(System::nanoTime, threadPool.generic(), merges));
    return List.of();
  }

  /** Returns what measures shard requests and answers with the load. */
  public TransportInterceptor interceptor(ThreadContext context) {
    return new LoadReportInterceptor(context, timer, () -> reporter, jointActions);
  }

  /** Measures the searches of an index, and counts its merges. */
  public void observe(IndexModule index) {
    index.addSearchOperationListener(timer);
    index.addIndexEventListener(merges);
  }
}
