package dev.weir.bench.restart;

import dev.weir.testkit.DataNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A shell script that restarts a node of this JVM: it leaves a wish in a folder, and waits until a
 * thread of this class has granted it.
 */
final class RestartScript implements AutoCloseable {
  private static final long PAUSE_MILLIS = 50;

  private final Path folder;
  private final Path script;
  private final List<DataNode> nodes;
  private final Restarter restart;
  private final Thread restarter;

  /** Restarts a node, and returns when it accepts requests. */
  interface Restarter {
    void restart(DataNode node) throws IOException, InterruptedException;
  }

  RestartScript(Path folder, List<DataNode> nodes, Restarter restart) throws IOException {
    this.folder = folder;
    this.nodes = List.copyOf(nodes);
    this.restart = restart;
    this.script = folder.resolve("restart.sh");
    Files.writeString(
        script,
        """
        cd "$(dirname "$0")"
        touch "$1.wish"
        while [ ! -e "$1.granted" ]; do sleep 0.1; done
        rm "$1.granted"
        """);
    this.restarter = Thread.ofPlatform().name("restarter").daemon().start(this::grantWishes);
  }

  /** The command, with the name of the node still to be replaced. */
  String command() {
    return "sh " + script + " {name}";
  }

  private void grantWishes() {
    try {
      while (true) {
        for (DataNode node : nodes) {
          Path wish = folder.resolve(node.name() + ".wish");
          if (Files.exists(wish)) {
            restart.restart(node);
            Files.delete(wish);
            Files.createFile(folder.resolve(node.name() + ".granted"));
          }
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (IOException | InterruptedException end) {
      // the script waits until the command's timeouts end it
    }
  }

  @Override
  public void close() {
    restarter.interrupt();
  }
}
