package dev.weir.testkit.node;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionType;
import org.opensearch.action.support.ActionFilters;
import org.opensearch.action.support.clustermanager.AcknowledgedResponse;
import org.opensearch.action.support.clustermanager.TransportClusterManagerNodeAction;
import org.opensearch.cluster.AckedClusterStateUpdateTask;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.inject.Inject;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportService;

/** Puts the unknown custom into the cluster state, or removes it; runs on the cluster manager. */
public final class UnknownAction
    extends TransportClusterManagerNodeAction<UnknownRequest, AcknowledgedResponse> {
  static final ActionType<AcknowledgedResponse> TYPE =
      new ActionType<>("cluster:admin/weir/unknown", AcknowledgedResponse::new);

  /** Made by OpenSearch, which wants it public. */
  @Inject
  public UnknownAction(
      TransportService transportService,
      ClusterService clusterService,
      ThreadPool threadPool,
      ActionFilters actionFilters,
      IndexNameExpressionResolver resolver) {
    super(
        TYPE.name(),
        transportService,
        clusterService,
        threadPool,
        actionFilters,
        UnknownRequest::new,
        resolver);
  }

  @Override
  protected String executor() {
    return ThreadPool.Names.SAME;
  }

  @Override
  protected AcknowledgedResponse read(StreamInput in) throws IOException {
    return new AcknowledgedResponse(in);
  }

  @Override
  protected @Nullable ClusterBlockException checkBlock(UnknownRequest request, ClusterState state) {
    return null;
  }

  @Override
  protected void clusterManagerOperation(
      UnknownRequest request, ClusterState state, ActionListener<AcknowledgedResponse> listener) {
    clusterService.submitStateUpdateTask(
        "weir-unknown",
        new AckedClusterStateUpdateTask<AcknowledgedResponse>(request, listener) {
          @Override
          protected AcknowledgedResponse newResponse(boolean acknowledged) {
            return new AcknowledgedResponse(acknowledged);
          }

          @Override
          public ClusterState execute(ClusterState current) {
            return changed(current, request.value());
          }
        });
  }

  private static ClusterState changed(ClusterState current, @Nullable String value) {
    Metadata.Builder metadata = Metadata.builder(current.metadata());
    if (value == null) {
      metadata.removeCustom(UnknownCustom.NAME);
    } else {
      metadata.putCustom(UnknownCustom.NAME, new UnknownCustom(value));
    }
    return ClusterState.builder(current).metadata(metadata).build();
  }
}
