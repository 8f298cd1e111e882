package dev.weir.rest;

import dev.weir.model.DeadlineResolver;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.core.indices.breaker.NoneCircuitBreakerService;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.http.HttpTransportSettings;
import org.opensearch.rest.RestController;
import org.opensearch.rest.RestHeaderDefinition;
import org.opensearch.tasks.Task;
import org.opensearch.usage.UsageService;
import org.opensearch.wlm.WorkloadGroupTask;

/**
 * OpenSearch's REST layer without a node: takes an exchange, has OpenSearch's handler parse it,
 * gives the action to the {@link ActionExecutor}, and writes the handler's answer. Immutable; each
 * exchange is handled on its own home.
 */
public final class RestDispatcher implements RequestHandler {
  /** What a node copies from a request's headers into its thread context, and W3C's trace id. */
  private static final Set<RestHeaderDefinition> HEADERS_TO_COPY =
      Set.of(
          new RestHeaderDefinition(Task.X_OPAQUE_ID, false),
          new RestHeaderDefinition(Task.X_REQUEST_ID, false),
          new RestHeaderDefinition(WorkloadGroupTask.WORKLOAD_GROUP_ID_HEADER, false),
          new RestHeaderDefinition("traceparent", true));

  private final RestThreadContext threadContext;
  private final NamedXContentRegistry xContents;
  private final GatewayNodeClient client;
  private final RestController controller;
  private final CoordinatedRestRouter routes;
  private final DeadlineResolver deadlines;
  private final LongSupplier requestNumbers;
  private final PageCacheRecycler pages;
  private final StreamingBulkCounts streamingBulkCounts = new StreamingBulkCounts(System::nanoTime);

  /**
   * What is answered otherwise than by a node.
   *
   * @param gatewayAddresses whom clients find that ask for the nodes' addresses; null for the nodes
   * @param responseFormats what answers to searches may look like
   * @param exportHandler answers searches with all that they match
   */
  public record RestExtensions(
      @Nullable GatewayAddressProvider gatewayAddresses,
      SearchResponseFormats responseFormats,
      ExportHandler exportHandler) {
    /** Nothing. */
    public static final RestExtensions NONE =
        new RestExtensions(null, SearchResponseFormats.NODE_FORMAT_ONLY, ExportHandler.NONE);

    /** Without exports. */
    public RestExtensions(@Nullable GatewayAddressProvider gateways, SearchResponseFormats forms) {
      this(gateways, forms, ExportHandler.NONE);
    }
  }

  /** Makes the door to an executor; everything is answered as by a node. */
  public RestDispatcher(
      OpenSearchRegistries registries, RestThreadContext threadContext, ActionExecutor executor) {
    this(
        registries,
        threadContext,
        executor,
        RestExtensions.NONE,
        DeadlineResolver.NONE,
        new AtomicLong()::incrementAndGet);
  }

  /**
   * Makes the door to an executor, for requests that may have a deadline.
   *
   * @param differing what is answered otherwise than by a node
   * @param numbers numbers requests, each one differently
   */
  public RestDispatcher(
      OpenSearchRegistries registries,
      RestThreadContext threadContext,
      ActionExecutor executor,
      RestExtensions differing,
      DeadlineResolver deadlines,
      LongSupplier numbers) {
    this.requestNumbers = numbers;
    this.deadlines = deadlines;
    this.threadContext = threadContext;
    this.xContents = registries.xContents();
    this.client =
        new GatewayNodeClient(
            registries.settings(),
            threadContext.threadPool(),
            registries.writeables(),
            executor,
            numbers);
    this.controller =
        new RestController(
            HEADERS_TO_COPY, null, client, new NoneCircuitBreakerService(), new UsageService());
    this.pages = new PageCacheRecycler(registries.settings());
    List<CoordinatedRestHandler> handlers =
        CoordinatedRestHandlers.create(
            registries.settings(),
            differing,
            streamingBulkCounts,
            new RestExportAction(differing.exportHandler(), pages, System::nanoTime));
    handlers.forEach(controller::registerHandler);
    registries
        .clusterSettings()
        .addSettingsUpdateConsumer(
            HttpTransportSettings.SETTING_HTTP_REQUEST_ID_MAX_LENGTH,
            controller::setRequestIdMaxLength);
    this.routes = new CoordinatedRestRouter(controller, handlers, differing.exportHandler());
  }

  /** Sends to this door what it has a handler for. */
  public RequestRouter routes() {
    return routes;
  }

  /** What became of the bulks that were carried out while they came. */
  public StreamingBulkCounts streamingBulkCounts() {
    return streamingBulkCounts;
  }

  /** How many actions are under way. */
  public int runningActions() {
    return client.runningTasks();
  }

  @Override
  public void handle(HttpExchange exchange) {
    RestExchange rest =
        new RestExchange(exchange, threadContext, deadlines, requestNumbers.getAsLong());
    rest.run(() -> dispatch(rest));
  }

  private void dispatch(RestExchange exchange) {
    BigArrays paid = ResponsePageAccounting.accountedTo(exchange.memory(), pages);
    RestRequestParser incoming = new RestRequestParser(exchange, xContents, paid);
    exchange.setRestChannel(incoming.restChannel());
    if (incoming.parseFailure() == null) {
      controller.dispatchRequest(
          incoming.restRequest(), incoming.restChannel(), exchange.threadContext());
    } else {
      controller.dispatchBadRequest(
          incoming.restChannel(), exchange.threadContext(), incoming.parseFailure());
    }
  }
}
