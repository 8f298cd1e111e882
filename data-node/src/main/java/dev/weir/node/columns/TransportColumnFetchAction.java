package dev.weir.node.columns;

import org.opensearch.action.support.ActionFilters;
import org.opensearch.action.support.HandledTransportAction;
import org.opensearch.common.inject.Inject;
import org.opensearch.core.action.ActionListener;
import org.opensearch.ratelimitting.admissioncontrol.enums.AdmissionControlActionType;
import org.opensearch.search.SearchService;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportService;

/**
 * Answers {@link ColumnFetchAction} by OpenSearch's own fetch phase, on the search threads: it
 * finds the search context, checks that the request may use it, keeps or frees it, and ends when
 * the task is cancelled. {@link ColumnFetchListener} has it read columns. As the fetch phase does,
 * the action trips the circuit breaker of requests in flight and is subject to admission control.
 */
public final class TransportColumnFetchAction
    extends HandledTransportAction<ColumnFetchRequest, ColumnFetchResponse> {
  private final SearchService searches;

  /** Registers the action; OpenSearch calls it. */
  @Inject
  public TransportColumnFetchAction(
      TransportService transportService, ActionFilters filters, SearchService searches) {
    super(
        ColumnFetchAction.NAME,
        true,
        AdmissionControlActionType.SEARCH,
        transportService,
        filters,
        ColumnFetchRequest::new);
    this.searches = searches;
  }

  @Override
  protected void doExecute(
      Task task, ColumnFetchRequest request, ActionListener<ColumnFetchResponse> listener) {
    ColumnFetchTask fetching = (ColumnFetchTask) task;
    searches.executeFetchPhase(
        request.fetch(),
        fetching,
        ActionListener.map(listener, hits -> new ColumnFetchResponse(hits, fetching.columns())));
  }
}
