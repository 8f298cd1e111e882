package dev.weir.gateway;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.command.ExitStatus;
import dev.weir.gateway.command.UsageException;
import dev.weir.gateway.logging.LoggingConfigurator;
import dev.weir.gateway.operate.MoveManagerCommand;
import dev.weir.gateway.operate.RestartNodeCommand;
import dev.weir.gateway.operate.RollingRestartCommand;
import dev.weir.gateway.operate.WindowCommand;
import dev.weir.gateway.process.GatewayVersion;
import dev.weir.gateway.rehearsal.Rehearsal;
import dev.weir.gateway.reload.PolicyFileWatcher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;

/**
 * The command line. Exit status: 0 after success, 1 after a failure, 2 when the command line or the
 * configuration is invalid; {@link CheckCommand} and {@link AdviseCommand} also exit with 3.
 */
@Command(
    name = "weir",
    mixinStandardHelpOptions = true,
    versionProvider = Main.VersionProvider.class,
    description = "The smart coordinating gateway for OpenSearch.",
    subcommands = {
      Main.RunCommand.class,
      CheckCommand.class,
      RepairCommand.class,
      IndexCompareCommand.class,
      RestartNodeCommand.class,
      RollingRestartCommand.class,
      WindowCommand.class,
      MoveManagerCommand.class,
      AdviseCommand.class,
      Main.RehearseCommand.class
    })
public final class Main {
  private Main() {}

  /** Runs a command and exits. */
  public static void main(String[] arguments) {
    System.exit(execute(arguments));
  }

  /** Runs a command. Returns its exit status. */
  static int execute(String... arguments) {
    return new CommandLine(new Main())
        .setExpandAtFiles(false) // --header @FILE is read as one header, not as arguments
        .setExecutionExceptionHandler((failure, _, _) -> exitStatus(failure))
        .execute(arguments);
  }

  private static int exitStatus(Exception failure) throws Exception {
    if (failure instanceof UsageException) {
      System.err.println(failure.getMessage());
      return ExitStatus.USAGE_ERROR;
    }
    throw failure;
  }

  /** What {@code --version} prints. */
  static final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"weir " + GatewayVersion.current()};
    }
  }

  /** Runs the gateway until a signal stops it. */
  @Command(name = "run", description = "Runs the gateway.", mixinStandardHelpOptions = true)
  static final class RunCommand implements Callable<Integer> {
    @Option(
        names = "--config",
        required = true,
        paramLabel = "FILE",
        description = "The configuration.")
    private @Nullable Path config;

    @Option(
        names = "--until-stdin-closes",
        description = "Stop also when standard input ends, so that no gateway outlives its parent.")
    private boolean untilStdinCloses;

    @Override
    public Integer call() {
      if (config == null) {
        return ExitStatus.USAGE_ERROR;
      }
      PolicyFileWatcher watcher =
          new PolicyFileWatcher(config, new PolicyLoader(System.getenv())::load);
      return switch (watcher.loadFirst()) {
        case LoadResult.Loaded loaded -> new GatewayProcess(loaded, watcher).run(untilStdinCloses);
        case LoadResult.Invalid invalid -> {
          System.err.print(invalid.render());
          yield ExitStatus.USAGE_ERROR;
        }
      };
    }
  }

  /**
   * Sends requests to a gateway with a recorded node, so that the JVM can record what they load.
   */
  @Command(name = "rehearse", hidden = true)
  static final class RehearseCommand implements Callable<Integer> {
    @Option(
        names = "--share",
        defaultValue = "${env:WEIR_REHEARSAL_SHARE:-1}",
        description =
            "The share of each request's repetitions, 0 to 1; each is sent once at least.")
    private double share;

    @Override
    public Integer call() throws IOException, InterruptedException {
      Set<String> problems = Rehearsal.run(RehearseCommand::start, share);
      problems.forEach(System.err::println);
      return problems.isEmpty() ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private static Rehearsal.RunningGateway start(GatewayPolicy policy) throws IOException {
      LoggingConfigurator.apply(policy.observability());
      return Gateway.start(policy);
    }
  }
}
