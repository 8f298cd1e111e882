package dev.weir.gateway.operate;

import dev.weir.client.AuthorizationHeader;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.command.ChosenCluster;
import dev.weir.gateway.command.ReachableAddress;
import dev.weir.gateway.command.UsageException;
import dev.weir.gateway.stats.AdminErrors;
import dev.weir.model.HttpStatus;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPage;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.observe.admin.ParameterizedAdminPage;
import dev.weir.operate.ClusterApi;
import dev.weir.operate.GatewayAdmin;
import dev.weir.operate.JournalFormat;
import dev.weir.operate.Operation;
import dev.weir.operate.OperationException;
import dev.weir.operate.OperationJournal;
import dev.weir.operate.OperationKind;
import dev.weir.operate.OperationOptions;
import dev.weir.operate.OperationRequest;
import dev.weir.operate.UnknownOutcomePolicy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * Shows and carries out operations on data nodes: {@code GET /operations}, {@code POST
 * /operations/restart-node?node=NAME} and others. The gateway speaks to its own ports, as the
 * commands do; the commands for nodes come from the configuration alone. Safe on any thread; pages
 * run on virtual threads, an operation on a thread of its own.
 */
public final class OperationPages implements StatsReporter, AutoCloseable {
  private static final Duration CALL_TIMEOUT = Duration.ofMinutes(3);

  /** A page answers soon, whatever the cluster does. */
  private static final Duration PAGE_CALL_TIMEOUT = Duration.ofSeconds(2);

  private static final long MAX_RESPONSE_BYTES = RestConnections.Limits.STANDARD.maxResponseBytes();

  private static final int CONFLICT = 409;
  private static final int ACCEPTED = 202;

  private final Supplier<GatewayPolicy> policy;
  private final Supplier<InetSocketAddress> restAddress;
  private final Supplier<InetSocketAddress> adminAddress;
  private final Timeouts timeouts;
  private final Calls ofOperations = new Calls(new RestConnections(), CALL_TIMEOUT);
  private final Calls ofPages;

  /** The newest run; the lock of {@code this} guards it, so that it has started when it is seen. */
  private @Nullable OperationRun newest;

  /**
   * How long pages wait.
   *
   * @param begin until an operation begins
   * @param response for each response of the cluster or of a gateway
   * @param work for all of the calls of a page that makes many; with the end of a run's thread and
   *     the call before, it is less than {@link AdminPage#MAX_DURATION}
   */
  record Timeouts(Duration begin, Duration response, Duration work) {
    static final Timeouts STANDARD =
        new Timeouts(AdminPage.MAX_DURATION, Duration.ofSeconds(10), Duration.ofSeconds(20));
  }

  /**
   * How the calls of an operation are made.
   *
   * @param client bounds each attempt
   * @param timeout how long a call is repeated
   */
  private record Calls(RestConnections client, Duration timeout) {}

  /**
   * Creates the pages.
   *
   * @param policy in force
   * @param restAddress of this gateway's REST port, once it listens
   * @param adminAddress of its admin port
   */
  public OperationPages(
      Supplier<GatewayPolicy> policy,
      Supplier<InetSocketAddress> restAddress,
      Supplier<InetSocketAddress> adminAddress) {
    this(policy, restAddress, adminAddress, Timeouts.STANDARD);
  }

  /** Creates the pages, with the times after which they answer in any case. */
  OperationPages(
      Supplier<GatewayPolicy> policy,
      Supplier<InetSocketAddress> restAddress,
      Supplier<InetSocketAddress> adminAddress,
      Timeouts timeouts) {
    this.policy = policy;
    this.restAddress = restAddress;
    this.adminAddress = adminAddress;
    this.timeouts = timeouts;
    this.ofPages =
        new Calls(
            new RestConnections(
                null,
                new RestConnections.Limits(
                    PAGE_CALL_TIMEOUT, timeouts.response(), MAX_RESPONSE_BYTES)),
            PAGE_CALL_TIMEOUT);
  }

  /** Returns whether this gateway carries out an operation now. */
  public boolean isRunning() {
    OperationRun run = newest();
    return run != null && run.isAlive();
  }

  private synchronized @Nullable OperationRun newest() {
    return newest;
  }

  @Override
  public void bind(MetricRegistry metrics) {}

  @Override
  public void addPages(AdminPageRegistry site) {
    site.getWithQuery("/operations", guarded(this::show))
        .postWithQuery(
            "/operations/restart-node", guarded(query -> begin(OperationKind.RESTART_NODE, query)))
        .postWithQuery(
            "/operations/rolling-restart",
            guarded(query -> begin(OperationKind.ROLLING_RESTART, query)))
        .postWithQuery("/operations/window", guarded(query -> begin(OperationKind.WINDOW, query)))
        .postWithQuery(
            "/operations/move-manager", guarded(query -> begin(OperationKind.MOVE_MANAGER, query)))
        .postWithQuery("/operations/resume", guarded(this::resume))
        .postWithQuery("/operations/abort", guarded(this::abort));
  }

  private interface Page {
    AdminResponse render(Map<String, String> query)
        throws OperationException, UsageException, InterruptedException;
  }

  private static ParameterizedAdminPage guarded(Page page) {
    return query -> {
      try {
        return page.render(query);
      } catch (OperationException e) {
        return AdminErrors.json(
            CONFLICT, "illegal_state_exception", String.valueOf(e.getMessage()));
      } catch (UsageException | IllegalArgumentException e) {
        return AdminErrors.json(
            HttpStatus.BAD_REQUEST, "illegal_argument_exception", String.valueOf(e.getMessage()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return AdminErrors.json(
            HttpStatus.SERVICE_UNAVAILABLE, "interrupted_exception", "the gateway stops");
      }
    };
  }

  private AdminResponse show(Map<String, String> query)
      throws OperationException, UsageException, InterruptedException {
    ChosenCluster cluster = cluster(query);
    OperationRun run = newestRun(cluster);
    OperationRun idle = new OperationRun(cluster.name());
    Map<String, Object> body = new LinkedHashMap<>();
    try {
      OperationJournal journal = operation(cluster, idle, ofPages).journal();
      body.put("operation", journal == null ? Map.of() : JournalFormat.toMap(journal));
    } catch (OperationException e) {
      if (run == null) {
        throw e;
      }
      body.put("problem", String.valueOf(e.getMessage()));
    }
    body.put("runs_here", run != null && run.isAlive());
    body.put("progress", run == null ? List.of() : run.lines());
    return AdminResponse.json(HttpStatus.OK, body);
  }

  private AdminResponse begin(OperationKind kind, Map<String, String> query)
      throws OperationException, UsageException, InterruptedException {
    OperationRequest request = request(kind, query);
    if (Boolean.parseBoolean(query.getOrDefault("dry_run", "false"))) {
      ChosenCluster cluster = cluster(query);
      OperationRun dryRun = new OperationRun(cluster.name());
      inTime(operation(cluster, dryRun, ofPages), operation -> operation.dryRun(request));
      return AdminResponse.json(HttpStatus.OK, Map.of("dry_run", true, "steps", dryRun.lines()));
    }
    return launch(cluster(query), operation -> operation.start(request));
  }

  private AdminResponse resume(Map<String, String> query)
      throws OperationException, UsageException, InterruptedException {
    UnknownOutcomePolicy unknownOutcome = unknownOutcome(query.get("command"));
    return launch(
        cluster(query),
        operation -> {
          OperationJournal journal = operation.journal();
          operation.resume(unknownOutcome, journal == null ? "" : command(journal.kind()));
        });
  }

  /** What the operator says about a command of which it is not known whether it has ended. */
  private static UnknownOutcomePolicy unknownOutcome(@Nullable String command) {
    if (command == null) {
      return UnknownOutcomePolicy.ASK;
    }
    return switch (command) {
      case "ended" -> UnknownOutcomePolicy.SKIP;
      case "repeat" -> UnknownOutcomePolicy.REPEAT;
      default ->
          throw new IllegalArgumentException(
              "command: got [" + command + "] (expected: ended or repeat)");
    };
  }

  private AdminResponse launch(ChosenCluster cluster, OperationRun.Work work)
      throws OperationException, InterruptedException {
    OperationRun run = new OperationRun(cluster.name());
    start(run, operation(cluster, run, ofOperations), work);
    boolean isKnown = run.awaitBegin(timeouts.begin());
    List<String> progress = new ArrayList<>(run.lines());
    if (!isKnown) {
      progress.add("the operation has not begun yet: see " + pageOf(cluster.name()));
    }
    return AdminResponse.json(ACCEPTED, Map.of("runs_here", run.isAlive(), "progress", progress));
  }

  /** Starts a run unless another one has not ended. */
  private synchronized void start(OperationRun run, Operation operation, OperationRun.Work work)
      throws OperationException {
    OperationRun before = newest;
    if (before != null && before.isAlive()) {
      throw new OperationException(
          "this gateway carries out an operation: see " + pageOf(before.cluster()));
    }
    run.start(operation, work);
    newest = run;
  }

  /**
   * Does work with many calls, as far as that takes no longer than a page may. The work may be
   * repeated.
   */
  private void inTime(Operation operation, OperationRun.Work work)
      throws OperationException, InterruptedException {
    FutureTask<Void> task =
        new FutureTask<>(() -> {
          work.run(operation);
          return null;
        });
    Thread thread = Thread.ofVirtual().name("weir-operation-page").start(task);
    try {
      task.get(timeouts.work().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new OperationException(
          "the cluster or a gateway answers too slowly, so this was not done within "
              + timeouts.work().toSeconds()
              + " s: call it again",
          e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof OperationException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      thread.interrupt(); // what is not done by now is left
    }
  }

  private static String pageOf(String cluster) {
    return "GET /operations" + (cluster.isEmpty() ? "" : "?cluster=" + cluster);
  }

  private AdminResponse abort(Map<String, String> query)
      throws OperationException, UsageException, InterruptedException {
    ChosenCluster cluster = cluster(query);
    OperationRun undo = new OperationRun(cluster.name());
    Operation operation = operation(cluster, undo, ofPages);
    OperationRun run = newestRun(cluster);
    boolean isStopped = run != null && run.isAlive();
    if (run != null) {
      run.stop(); // it may not have written its journal yet
      if (run.abortAtEnd()) {
        return AdminResponse.json(
            ACCEPTED,
            Map.of(
                "progress",
                List.of(
                    "a command for a node still runs, or the cluster does not answer; the"
                        + " operation is aborted once that has ended")));
      }
    }
    if (hasJournal(operation, isStopped)) {
      inTime(operation, Operation::abort);
    } else if (isStopped) {
      undo.onProgress("stopped; there is no journal, so nothing is to be given back");
    } else {
      throw new OperationException("no operation has begun");
    }
    return AdminResponse.json(HttpStatus.OK, Map.of("progress", undo.lines()));
  }

  /** Returns whether an operation has begun that has not ended. */
  private static boolean hasJournal(Operation operation, boolean isStopped)
      throws OperationException, InterruptedException {
    try {
      return operation.journal() != null;
    } catch (OperationException e) {
      throw isStopped
          ? new OperationException(
              "the operation is stopped in this gateway, and it is not known whether it has a"
                  + " journal: call POST /operations/abort again once the cluster answers: "
                  + e.getMessage(),
              e)
          : e;
    }
  }

  private OperationRequest request(OperationKind kind, Map<String, String> query)
      throws OperationException {
    String node = query.getOrDefault("node", "");
    boolean namesOne = kind == OperationKind.RESTART_NODE || kind == OperationKind.WINDOW;
    if (namesOne && node.isEmpty()) {
      throw new IllegalArgumentException("node: got [] (expected: the name of a data node)");
    }
    String command = command(kind);
    if (command.isEmpty() && kind != OperationKind.MOVE_MANAGER) {
      throw new OperationException(
          (kind == OperationKind.WINDOW
                  ? "operations.window-command"
                  : "operations.restart-command")
              + " is not set: set it in the configuration, or run weir "
              + kind.text()
              + " with --exec");
    }
    return OperationRequest.of(
        kind, namesOne ? List.of(node) : List.of(), options(query).withCommand(command));
  }

  /** The usual options, but for what a query sets. */
  private static OperationOptions options(Map<String, String> query) {
    String ramp = query.get("ramp");
    if (ramp == null) {
      return OperationOptions.DEFAULTS;
    }
    try {
      return OperationOptions.DEFAULTS.withRamp(new DurationText().convert(ramp)).checked();
    } catch (TypeConversionException e) {
      throw new IllegalArgumentException("ramp: " + e.getMessage(), e);
    }
  }

  /** The cluster that a query means. */
  private ChosenCluster cluster(Map<String, String> query) throws UsageException {
    return ChosenCluster.of(policy.get(), query.getOrDefault("cluster", ""));
  }

  /** The newest run of this gateway, if it works on this cluster. */
  private @Nullable OperationRun newestRun(ChosenCluster cluster) {
    OperationRun run = newest();
    return run != null && run.cluster().equals(cluster.name()) ? run : null;
  }

  /** The command for nodes of the configuration; empty for none. */
  private String command(OperationKind kind) {
    GatewayPolicy now = policy.get();
    return switch (kind) {
      case RESTART_NODE, ROLLING_RESTART -> now.operations().restartCommand().strip();
      case WINDOW -> now.operations().windowCommand().strip();
      case MOVE_MANAGER -> "";
    };
  }

  /** An operation that goes through this gateway's own ports. */
  private Operation operation(ChosenCluster chosen, OperationRun run, Calls calls)
      throws OperationException {
    GatewayPolicy now = policy.get();
    if (now.http().tls().enabled() || now.admin().tls().enabled()) {
      throw new OperationException(
          "the gateway does not operate through ports with TLS: run weir restart-node and the like"
              + " with --ca-file");
    }
    RestTarget cluster = new RestTarget(calls.client(), uri(restAddress.get()), header(chosen));
    List<RestTarget> admins = new ArrayList<>();
    Map<String, String> credentials = AuthorizationHeader.bearer(now.admin().token());
    admins.add(new RestTarget(calls.client(), uri(adminAddress.get()), credentials));
    now.operations()
        .otherAdminAddresses()
        .forEach(url -> admins.add(new RestTarget(calls.client(), URI.create(url), credentials)));
    return new Operation(
        new ClusterApi(List.of(cluster), calls.timeout()),
        new GatewayAdmin(admins, chosen.name(), calls.timeout()),
        run,
        run);
  }

  private static Map<String, String> header(ChosenCluster cluster) throws OperationException {
    try {
      return cluster.header();
    } catch (UsageException e) {
      throw new OperationException(String.valueOf(e.getMessage()), e);
    }
  }

  private static URI uri(InetSocketAddress address) {
    return URI.create("http://" + ReachableAddress.of(address));
  }

  /** Ends the thread of an operation; its journal stays, so another gateway can go on. */
  @Override
  public void close() {
    OperationRun run = newest();
    if (run != null) {
      run.interrupt();
    }
    ofOperations.client().close();
    ofPages.client().close();
  }
}
