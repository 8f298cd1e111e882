package dev.weir.node.state;

import org.opensearch.action.support.ActionFilters;
import org.opensearch.action.support.HandledTransportAction;
import org.opensearch.common.inject.Inject;
import org.opensearch.core.action.ActionListener;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportService;

/** Hands requests of gateways to the {@link StateChangeLog}; blocks no thread. */
public final class TransportStateDiffAction
    extends HandledTransportAction<StateDiffRequest, StateDiffResponse> {
  private final StateChangeLog log;

  /** Registers the action; OpenSearch calls it. */
  @Inject
  public TransportStateDiffAction(
      TransportService transportService, ActionFilters filters, StateChangeLog log) {
    super(StateDiffAction.NAME, transportService, filters, StateDiffRequest::new);
    this.log = log;
  }

  @Override
  protected void doExecute(
      Task task, StateDiffRequest request, ActionListener<StateDiffResponse> listener) {
    log.await(request, listener);
  }
}
