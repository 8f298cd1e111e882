package dev.weir.protocol.action;

import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import java.time.Duration;
import java.util.Map;
import org.opensearch.action.admin.cluster.node.info.NodesInfoAction;
import org.opensearch.action.admin.cluster.node.info.NodesInfoRequest;
import org.opensearch.action.admin.cluster.node.info.NodesInfoResponse;
import org.opensearch.action.admin.cluster.state.ClusterStateAction;
import org.opensearch.action.admin.cluster.state.ClusterStateRequest;
import org.opensearch.action.admin.cluster.state.ClusterStateResponse;
import org.opensearch.action.support.clustermanager.term.GetTermVersionAction;
import org.opensearch.action.support.clustermanager.term.GetTermVersionRequest;
import org.opensearch.action.support.clustermanager.term.GetTermVersionResponse;
import org.opensearch.core.common.io.stream.Writeable;

/** Calls that ask a node about itself and the cluster, on its CONTROL channel. */
public final class ClusterCalls {
  private ClusterCalls() {}

  /** A call on the CONTROL channel without headers; for others, take its parts. */
  public static <R> NodeCall<R> control(
      String action, Writeable request, Writeable.Reader<R> reader, Duration timeout) {
    return new NodeCall<>(action, request, reader, ChannelKind.CONTROL, Map.of(), timeout);
  }

  /** The cluster's state as {@code request} narrows it. */
  public static NodeCall<ClusterStateResponse> state(
      ClusterStateRequest request, Duration timeout) {
    return control(ClusterStateAction.NAME, request, ClusterStateResponse::new, timeout);
  }

  /** The whole state as the asked node has it; it asks nobody else. */
  public static NodeCall<ClusterStateResponse> localState(Duration timeout) {
    return state(new ClusterStateRequest().local(true), timeout);
  }

  /** Term and version of the state: 69 bytes that say whether it changed. */
  public static NodeCall<GetTermVersionResponse> termVersion(Duration timeout) {
    return control(
        GetTermVersionAction.NAME,
        new GetTermVersionRequest(),
        GetTermVersionResponse::new,
        timeout);
  }

  /** The REST publish addresses of all nodes. */
  public static NodeCall<NodesInfoResponse> nodesHttp(Duration timeout) {
    NodesInfoRequest request =
        new NodesInfoRequest().clear().addMetric(NodesInfoRequest.Metric.HTTP.metricName());
    return control(NodesInfoAction.NAME, request, NodesInfoResponse::new, timeout);
  }
}
