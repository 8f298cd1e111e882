package dev.weir.it.operations;

import dev.weir.testkit.DataNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A command that restarts a node of a test: a script leaves a request in a folder, and waits until
 * this class has carried it out, as {@code systemctl restart} does.
 */
public final class NodeRestarter implements AutoCloseable {
  private final Path folder;
  private final Supplier<List<DataNode>> nodes;
  private final Path script;
  private final List<Consumer<DataNode>> listeners = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean closed;

  /**
   * Writes the script and starts the thread.
   *
   * @param folder for the script and its requests
   * @param nodes those that it may restart
   */
  public NodeRestarter(Path folder, Supplier<List<DataNode>> nodes) throws IOException {
    this.folder = folder;
    this.nodes = nodes;
    this.script = folder.resolve("restart.sh");
    Files.writeString(
        script,
        """
        cd "$(dirname "$0")"
        echo "$1" >> runs
        touch "$1.requested"
        while [ ! -e "$1.done" ] && [ ! -e "$1.failed" ]; do sleep 0.1; done
        rm "$1.done" || { rm "$1.failed"; exit 1; }
        """);
    this.thread = Thread.ofPlatform().name("restarter").start(this::run);
  }

  private void run() {
    try {
      while (!closed) {
        for (DataNode node : nodes.get()) {
          Path requested = folder.resolve(node.name() + ".requested");
          if (Files.exists(requested)) {
            Files.delete(requested);
            Thread.ofVirtual().start(() -> restart(node));
          }
        }
        Thread.sleep(50);
      }
    } catch (IOException | InterruptedException e) {
      // the test ends
    }
  }

  private void restart(DataNode node) {
    String result = ".failed";
    try {
      listeners.forEach(listener -> listener.accept(node));
      node.restart();
      result = ".done";
    } finally {
      finish(node, result);
    }
  }

  /** Has the script end. */
  private void finish(DataNode node, String result) {
    try {
      Files.createFile(folder.resolve(node.name() + result));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Calls a listener before each restart. Restarts that are requested at once run at once. */
  void addListener(Consumer<DataNode> beforeRestart) {
    listeners.add(beforeRestart);
  }

  /** The command, for {@code --exec}. */
  public String command() {
    return "sh " + script + " {name}";
  }

  /** The names of nodes, one for each run of the command. */
  public List<String> runs() throws IOException {
    Path runs = folder.resolve("runs");
    return Files.exists(runs) ? Files.readAllLines(runs) : List.of();
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
