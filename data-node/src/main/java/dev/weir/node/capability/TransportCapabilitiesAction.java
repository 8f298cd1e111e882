package dev.weir.node.capability;

import org.opensearch.action.support.ActionFilters;
import org.opensearch.action.support.HandledTransportAction;
import org.opensearch.common.inject.Inject;
import org.opensearch.core.action.ActionListener;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportService;

/** Answers {@link CapabilitiesAction} at once, on the thread that received the request. */
public final class TransportCapabilitiesAction
    extends HandledTransportAction<CapabilitiesRequest, CapabilitiesResponse> {
  private final AnnouncedCapabilities announced;

  /** Registers the action; OpenSearch calls it. */
  @Inject
  public TransportCapabilitiesAction(
      TransportService transportService, ActionFilters filters, AnnouncedCapabilities announced) {
    super(CapabilitiesAction.NAME, transportService, filters, CapabilitiesRequest::new);
    this.announced = announced;
  }

  @Override
  protected void doExecute(
      Task task, CapabilitiesRequest request, ActionListener<CapabilitiesResponse> listener) {
    listener.onResponse(new CapabilitiesResponse(announced));
  }
}
