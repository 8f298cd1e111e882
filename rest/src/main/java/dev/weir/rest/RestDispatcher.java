package dev.weir.rest;

import dev.weir.model.DeadlineResolver;
import dev.weir.model.HttpExchange;
import dev.weir.model.NodeRequestRules;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.rest.estimate.NodeHeapLimit;
import dev.weir.rest.parameters.JsonContentParameters;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.core.indices.breaker.NoneCircuitBreakerService;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.http.HttpTransportSettings;
import org.opensearch.rest.DirectRestController;
import org.opensearch.rest.RestHeaderDefinition;
import org.opensearch.tasks.Task;
import org.opensearch.usage.UsageService;
import org.opensearch.wlm.WorkloadGroupTask;

/**
 * OpenSearch's REST layer without a node. It passes an exchange to OpenSearch's handler for
 * parsing, the action to the {@link ActionExecutor}, and the handler's response to the client.
 * Immutable; each exchange is handled on its own event loop.
 */
public final class RestDispatcher implements RequestHandler {
  /** The headers that a node copies into its thread context, and W3C's trace id. */
  private static final Set<RestHeaderDefinition> HEADERS_TO_COPY =
      Set.of(
          new RestHeaderDefinition(Task.X_OPAQUE_ID, false),
          new RestHeaderDefinition(Task.X_REQUEST_ID, false),
          new RestHeaderDefinition(WorkloadGroupTask.WORKLOAD_GROUP_ID_HEADER, false),
          new RestHeaderDefinition("traceparent", true));

  private final RestThreadContext threadContext;
  private final NamedXContentRegistry xContents;
  private final GatewayNodeClient client;
  private final DirectRestController controller;
  private final CoordinatedRestRouter routes;
  private final Supplier<NodeRequestRules> nodeRules;
  private final NodeHeapLimit nodeHeap;
  private final RequestServices services;
  private final PageCacheRecycler pages;
  private final StreamingBulkCounts streamingBulkCounts = new StreamingBulkCounts(System::nanoTime);

  /**
   * What the gateway answers in another way than a node with default settings.
   *
   * @param gatewayAddresses the addresses for clients that sniff; null for the nodes' addresses
   * @param responseFormats further formats of search responses
   * @param exportHandler streams all matches of a search
   * @param nodeRules the present rules of the cluster's nodes
   * @param streamSearch the present value of {@code stream.search.enabled}
   */
  public record RestExtensions(
      @Nullable GatewayAddressProvider gatewayAddresses,
      SearchResponseFormats responseFormats,
      ExportHandler exportHandler,
      Supplier<NodeRequestRules> nodeRules,
      BooleanSupplier streamSearch) {
    /** No extension, in front of nodes with default settings. */
    public static final RestExtensions NONE =
        new RestExtensions(null, SearchResponseFormats.NODE_FORMAT_ONLY, ExportHandler.NONE);

    /** Extensions in front of nodes with default settings. */
    public RestExtensions(
        @Nullable GatewayAddressProvider gateways,
        SearchResponseFormats forms,
        ExportHandler exportHandler) {
      this(gateways, forms, exportHandler, () -> NodeRequestRules.DEFAULT, () -> false);
    }

    /** Extensions without exports. */
    public RestExtensions(@Nullable GatewayAddressProvider gateways, SearchResponseFormats forms) {
      this(gateways, forms, ExportHandler.NONE);
    }
  }

  /** Creates a dispatcher without extensions. */
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
   * Creates a dispatcher that parses on event loops.
   *
   * @param extensions the responses that differ from a node's, and the nodes' rules
   * @param numbers returns a new number for each request
   */
  public RestDispatcher(
      OpenSearchRegistries registries,
      RestThreadContext threadContext,
      ActionExecutor executor,
      RestExtensions extensions,
      DeadlineResolver deadlines,
      LongSupplier numbers) {
    this(
        registries,
        threadContext,
        executor,
        extensions,
        new RequestServices(deadlines, numbers, LongRequestPool.NONE));
  }

  /**
   * Creates a dispatcher.
   *
   * @param extensions the responses that differ from a node's
   * @param services what each request uses
   */
  public RestDispatcher(
      OpenSearchRegistries registries,
      RestThreadContext threadContext,
      ActionExecutor executor,
      RestExtensions extensions,
      RequestServices services) {
    this.services = services;
    this.nodeRules = extensions.nodeRules();
    this.nodeHeap = new NodeHeapLimit(nodeRules);
    this.threadContext = threadContext;
    this.xContents = registries.xContents();
    this.client =
        new GatewayNodeClient(
            registries.settings(),
            threadContext.threadPool(),
            registries.writeables(),
            executor,
            services.numbers());
    this.controller =
        new DirectRestController(
            HEADERS_TO_COPY, client, new NoneCircuitBreakerService(), new UsageService());
    this.pages = new PageCacheRecycler(registries.settings());
    List<CoordinatedRestHandler> handlers =
        CoordinatedRestHandlers.create(
            registries.settings(),
            extensions,
            streamingBulkCounts,
            new RestExportAction(extensions.exportHandler(), pages, System::nanoTime));
    controller.registerHandlers(handlers);
    registries
        .clusterSettings()
        .addSettingsUpdateConsumer(
            HttpTransportSettings.SETTING_HTTP_REQUEST_ID_MAX_LENGTH,
            controller::setRequestIdMaxLength);
    this.routes =
        new CoordinatedRestRouter(controller, handlers, extensions.exportHandler(), nodeHeap);
  }

  /** Returns the router that selects the requests of this dispatcher. */
  public RequestRouter routes() {
    return routes;
  }

  /** Returns the counters of streaming bulks. */
  public StreamingBulkCounts streamingBulkCounts() {
    return streamingBulkCounts;
  }

  /** Returns the number of running actions. */
  public int runningActions() {
    return client.runningTasks();
  }

  @Override
  public void handle(HttpExchange exchange) {
    RestExchange rest =
        new RestExchange(
            exchange, threadContext, services, nodeHeap, services.numbers().getAsLong());
    rest.run(() -> dispatch(rest));
  }

  private void dispatch(RestExchange exchange) {
    BigArrays accounted = ResponsePageAccounting.accountedTo(exchange.memory(), pages);
    RestRequestParser incoming =
        new RestRequestParser(exchange, xContents, accounted, nodeRules.get());
    exchange.setRestChannel(incoming.restChannel());
    exchange.content().setJsonParameters(JsonContentParameters.of(incoming.restRequest()));
    if (incoming.parseFailure() == null) {
      controller.dispatchRequest(
          incoming.restRequest(), incoming.restChannel(), exchange.threadContext());
    } else {
      controller.dispatchBadRequest(
          incoming.restChannel(), exchange.threadContext(), incoming.parseFailure());
    }
  }
}
