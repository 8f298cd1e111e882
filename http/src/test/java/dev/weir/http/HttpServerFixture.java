package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.body.BodyTransformer;
import dev.weir.http.body.FixedBodyBudget;
import dev.weir.http.intake.Destination;
import dev.weir.http.intake.HeaderFilter;
import dev.weir.http.intake.RequestEnvironment;
import dev.weir.http.options.ClientLimits;
import dev.weir.http.options.HttpCompression;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.options.HttpSecurity;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.http.proxy.LeastLoadTargetSelector;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.http.proxy.ProxyOptions;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.model.BufferedResponse;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server on a loopback port with its environment. Closing it checks that nothing is held: no
 * buffer, no byte of the budget, no connection.
 */
public final class HttpServerFixture implements AutoCloseable {

  static final String VERSION = "OpenSearch/3.8.0 (opensearch)";

  /** How long a test waits for an event. */
  public static final long PATIENCE_SECONDS = 30;

  /** The options of a test. */
  public static final class Setup {
    HttpOptions options = HttpOptions.standard(VERSION);
    ProxyOptions proxyOptions = ProxyOptions.standard();
    public RequestRouter router = (method, uri) -> new RequestRouter.Coordinate("test");
    public HeaderFilter gate = HeaderFilter.ADMIT_ALL;
    public @Nullable RequestHandler handler;
    @Nullable RequestHandler standby;
    @Nullable RequestRouter standbyRouter;
    public @Nullable Supplier<@Nullable BodyTransformer> change;
    public List<InetSocketAddress> nodes = List.of();
    List<InetSocketAddress> nodesElsewhere = List.of();
    @Nullable SslContext nodesTls;
    public long budget = 64 << 20;
    LongPredicate refusals = number -> number != 0;
    LongSupplier nanoClock = System::nanoTime;
    Predicate<EventLoop> moveAway = loop -> false;

    /** The destination for failover. */
    public Setup standby(RequestHandler given) {
      standby = given;
      return this;
    }

    public Setup handler(RequestHandler given) {
      handler = given;
      return this;
    }

    public Setup limits(HttpLimits limits) {
      options =
          new HttpOptions(
              limits, options.timeouts(), options.compression(), options.security(), () -> VERSION);
      return this;
    }

    Setup clients(ClientLimits clients) {
      options =
          new HttpOptions(
              options.limits(),
              options.timeouts(),
              options.compression(),
              options.security(),
              () -> VERSION,
              options.traces(),
              clients);
      return this;
    }

    /** Sets the encryption, and what the server believes about clients. */
    public Setup security(HttpSecurity security) {
      options =
          new HttpOptions(
              options.limits(), options.timeouts(), options.compression(), security, () -> VERSION);
      return this;
    }

    Setup compression(HttpCompression compression) {
      options =
          new HttpOptions(
              options.limits(), options.timeouts(), compression, options.security(), () -> VERSION);
      return this;
    }

    Setup timeouts(HttpTimeouts timeouts) {
      options =
          new HttpOptions(
              options.limits(), timeouts, options.compression(), options.security(), () -> VERSION);
      return this;
    }

    public Setup passThrough(InetSocketAddress... to) {
      router = (method, uri) -> new RequestRouter.PassThrough("test");
      nodes = List.of(to);
      return this;
    }

    /** Returns the destination of requests whose nodes are lost. */
    Setup elsewhere(InetSocketAddress... to) {
      nodesElsewhere = List.of(to);
      return this;
    }

    public HttpServerFixture start() throws IOException {
      return new HttpServerFixture(this);
    }
  }

  /** Starts a server whose handler echoes requests. */
  public static Setup echoing() {
    return new Setup()
        .handler(exchange ->
            exchange.respond(
                reply(200, exchange.method() + " " + exchange.uri() + " " + bodyOf(exchange))));
  }

  public final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  public final FixedBodyBudget budget;
  final BlockingQueue<CompletedRequest> logged = new LinkedBlockingQueue<>();
  final BlockingQueue<HttpExchange> taken = new LinkedBlockingQueue<>();
  final LeastLoadTargetSelector targets;
  public final HttpServer server;
  public final InetSocketAddress address;
  public final NodeProxy proxy;
  private final NodeProxy proxyElsewhere;
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());

  private record FixedDestination(
      RequestRouter router,
      RequestHandler handler,
      NodeProxy proxy,
      @Nullable Supplier<@Nullable BodyTransformer> change,
      @Nullable Destination other)
      implements Destination {
    @Override
    public boolean transformsBodies() {
      return change != null;
    }

    @Override
    public @Nullable BodyTransformer bodyTransformer(String uri, @Nullable String contentType) {
      if (change == null) {
        throw new AssertionError("got a body to change (expected: nothing is asked)");
      }
      return change.get();
    }

    @Override
    public String clusterName() {
      return other == null ? "standby" : "";
    }

    @Override
    public @Nullable Destination failoverDestination(String method, String uri) {
      return other;
    }

    @Override
    public boolean hasFailoverDestination(String method, String uri) {
      return other != null;
    }
  }

  private HttpServerFixture(Setup setup) throws IOException {
    budget = new FixedBodyBudget(setup.budget);
    targets = targets(setup.nodes);
    proxy = proxy(setup, targets);
    proxyElsewhere = proxy(setup, targets(setup.nodesElsewhere));
    RequestHandler handler = setup.handler == null ? taken::add : setup.handler;
    RequestHandler instead = setup.standby;
    Destination other =
        instead == null && setup.nodesElsewhere.isEmpty()
            ? null
            : new FixedDestination(
                setup.standbyRouter == null ? setup.router : setup.standbyRouter,
                instead == null ? handler : instead,
                setup.nodesElsewhere.isEmpty() ? proxy : proxyElsewhere,
                setup.change,
                null);
    Destination destination =
        new FixedDestination(setup.router, handler, proxy, setup.change, other);
    server =
        new HttpServer(
            setup.options,
            new ServerEventLoops(
                loops, loops, NioServerSocketChannel.class, allocator, setup.moveAway),
            new RequestEnvironment(
                head -> destination,
                setup.gate,
                budget,
                logged::add,
                setup.refusals,
                setup.nanoClock));
    address = server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private static LeastLoadTargetSelector targets(List<InetSocketAddress> nodes) {
    return new LeastLoadTargetSelector(() -> nodes, Duration.ofSeconds(60), System::nanoTime);
  }

  private NodeProxy proxy(Setup setup, LeastLoadTargetSelector to) {
    SslContext tls = setup.nodesTls;
    return new NodeProxy(
        setup.proxyOptions,
        to,
        NioSocketChannel.class,
        allocator,
        tls == null ? null : () -> tls,
        System::nanoTime);
  }

  public RawHttpConnection connect() throws IOException {
    return new RawHttpConnection(address, Duration.ofSeconds(PATIENCE_SECONDS));
  }

  /** Connects from another loopback address: for the server another client. */
  RawHttpConnection connectFrom(String local) throws IOException {
    return new RawHttpConnection(
        address, InetAddress.getByName(local), Duration.ofSeconds(PATIENCE_SECONDS));
  }

  /** Returns the next request that reached the handler. */
  public HttpExchange take() throws InterruptedException {
    HttpExchange exchange = taken.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(exchange).as("a request for the handler").isNotNull();
    return exchange;
  }

  /** Returns the next request that was logged. */
  public CompletedRequest log() throws InterruptedException {
    CompletedRequest log = logged.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(log).as("a logged request").isNotNull();
    return log;
  }

  /** Waits until a number is stable while all event loops keep turning. */
  public void awaitStandstill(AtomicLong moving) throws InterruptedException {
    long last = 0;
    for (int same = 0; same < 20; ) {
      Thread.sleep(20);
      for (EventExecutor loop : loops) {
        loop.submit(() -> {}).sync();
      }
      long now = moving.get();
      same = now > 0 && now == last ? same + 1 : 0;
      last = now;
    }
  }

  /** Waits for a condition. */
  static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      Thread.sleep(5);
    }
  }

  public static void onHome(HttpExchange exchange, Runnable task) {
    exchange.eventLoop().execute(task);
  }

  public static BufferedResponse reply(int status, String body) {
    return new BufferedResponse(
        status,
        "text/plain; charset=UTF-8",
        List.of(),
        List.of(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))),
        () -> {});
  }

  public static String bodyOf(HttpExchange exchange) {
    return StandardCharsets.UTF_8.decode(exchange.body()).toString();
  }

  public static <T> T await(CompletableFuture<T> future) throws Exception {
    try {
      return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("did not happen", e);
    }
  }

  @Override
  public void close() {
    server.close();
    proxy.close();
    proxyElsewhere.close();
    loops
        .shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(server.openConnections()).as("connections at rest").isZero();
    for (NodeProxy used : List.of(proxy, proxyElsewhere)) {
      ProxyStats proxied = used.stats();
      assertThat(proxied.inFlight()).as("passages at rest").isZero();
      assertThat(proxied.waiting()).as("waiting passages at rest").isZero();
      assertThat(proxied.connections()).as("connections to nodes at rest").isZero();
    }
    assertThat(budget.used()).as("budget at rest").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct memory at rest").isZero();
    assertThat(allocator.metric().usedHeapMemory()).as("heap memory at rest").isZero();
  }
}
