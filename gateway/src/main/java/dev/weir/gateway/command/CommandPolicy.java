package dev.weir.gateway.command;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Loads the configuration that a command line names. */
public final class CommandPolicy {
  private CommandPolicy() {}

  /**
   * Loads a configuration.
   *
   * @param file null if the command line names none
   * @throws UsageException if there is none, or with all of its problems
   */
  public static GatewayPolicy load(@Nullable Path file) throws UsageException {
    if (file == null) {
      throw new UsageException("--config is missing");
    }
    return switch (new PolicyLoader(System.getenv()).load(file)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid invalid -> throw new UsageException(invalid.render().stripTrailing());
    };
  }
}
