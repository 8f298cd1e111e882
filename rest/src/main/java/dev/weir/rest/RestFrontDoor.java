package dev.weir.rest;

import dev.weir.model.Deadlines;
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
public final class RestFrontDoor implements RequestHandler {
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
  private final CoordinatedRoutes routes;
  private final Deadlines deadlines;
  private final LongSupplier numbers;
  private final PageCacheRecycler pages;
  private final StreamedBulks streamedBulks = new StreamedBulks(System::nanoTime);

  /**
   * What is answered otherwise than by a node.
   *
   * @param gateways whom clients find that ask for the nodes' addresses; null for the nodes
   * @param forms what answers to searches may look like
   * @param exports answers searches with all that they match
   */
  public record Differing(@Nullable GatewayAddresses gateways, AnswerForms forms, Exports exports) {
    /** Nothing. */
    public static final Differing NONE = new Differing(null, AnswerForms.NONE, Exports.NONE);

    /** Without exports. */
    public Differing(@Nullable GatewayAddresses gateways, AnswerForms forms) {
      this(gateways, forms, Exports.NONE);
    }
  }

  /** Makes the door to an executor; everything is answered as by a node. */
  public RestFrontDoor(
      OpenSearchRegistries registries, RestThreadContext threadContext, ActionExecutor executor) {
    this(
        registries,
        threadContext,
        executor,
        Differing.NONE,
        Deadlines.NONE,
        new AtomicLong()::incrementAndGet);
  }

  /**
   * Makes the door to an executor, for requests that may have a deadline.
   *
   * @param differing what is answered otherwise than by a node
   * @param numbers numbers requests, each one differently
   */
  public RestFrontDoor(
      OpenSearchRegistries registries,
      RestThreadContext threadContext,
      ActionExecutor executor,
      Differing differing,
      Deadlines deadlines,
      LongSupplier numbers) {
    this.numbers = numbers;
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
    List<CoordinatedHandler> handlers =
        CoordinatedHandlers.create(
            registries.settings(),
            differing,
            streamedBulks,
            new ExportAction(differing.exports(), pages, System::nanoTime));
    handlers.forEach(controller::registerHandler);
    registries
        .clusterSettings()
        .addSettingsUpdateConsumer(
            HttpTransportSettings.SETTING_HTTP_REQUEST_ID_MAX_LENGTH,
            controller::setRequestIdMaxLength);
    this.routes = new CoordinatedRoutes(controller, handlers, differing.exports());
  }

  /** Sends to this door what it has a handler for. */
  public RequestRouter routes() {
    return routes;
  }

  /** What became of the bulks that were carried out while they came. */
  public StreamedBulks streamedBulks() {
    return streamedBulks;
  }

  /** How many actions are under way. */
  public int actionsUnderWay() {
    return client.tasksUnderWay();
  }

  @Override
  public void handle(HttpExchange exchange) {
    RestExchange rest = new RestExchange(exchange, threadContext, deadlines, numbers.getAsLong());
    rest.run(() -> dispatch(rest));
  }

  private void dispatch(RestExchange exchange) {
    BigArrays paid = AnswerPages.paidBy(exchange.memory(), pages);
    IncomingRequest incoming = new IncomingRequest(exchange, xContents, paid);
    exchange.channelIs(incoming.answers());
    if (incoming.bad() == null) {
      controller.dispatchRequest(incoming.parsed(), incoming.answers(), exchange.threadContext());
    } else {
      controller.dispatchBadRequest(incoming.answers(), exchange.threadContext(), incoming.bad());
    }
  }
}
