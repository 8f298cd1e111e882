package dev.weir.testkit.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.LogManager;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.env.Environment;

/**
 * The main class of a data node's JVM: starts one OpenSearch node and runs until its parent process
 * asks it to stop or ends.
 *
 * <p>Arguments: {@code HOME setting=value... --plugin=[NAME:]CLASS...}. {@code HOME} is the node's
 * own folder; it gets {@code config}, {@code data} and {@code logs} below it. A setting with an
 * empty value is an empty list.
 *
 * <p>Standard input is the life line: the parent holds the other end and writes nothing, so that
 * end of file means that the parent died, by {@code kill -9} too, and the JVM halts. SIGTERM closes
 * the node in order. Standard output carries one line once the node accepts requests, {@code
 * started http=HOST:PORT transport=HOST:PORT id=ID}; a node that cannot start writes the reason to
 * standard error and exits with status 1. Everything else goes to {@code HOME/logs}.
 */
public final class DataNodeMain {
  private static final int EXIT_USAGE = 2;
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_ORPHANED = 3;
  private static final long CLOSE_SECONDS = 20;

  private DataNodeMain() {}

  /**
   * Starts the node.
   *
   * @param args the node's folder, settings and extra plugins, as the class comment says
   */
  public static void main(String[] args) {
    // OpenSearch's logging set-up redirects the process's streams into the log file; these stay the
    // real ones.
    PrintStream out = System.out;
    PrintStream err = System.err;
    if (args.length == 0) {
      err.println(
          "got no arguments (expected: HOME [setting=value]... [--plugin=[NAME:]CLASS]...)");
      Runtime.getRuntime().halt(EXIT_USAGE);
    }
    haltAtEndOf(System.in);
    try {
      run(NodeArguments.parse(Arrays.asList(args)), out);
    } catch (Throwable failure) {
      failure.printStackTrace(err);
      err.flush();
      Runtime.getRuntime().halt(EXIT_FAILED);
    }
  }

  private static void run(NodeArguments arguments, PrintStream out) throws Exception {
    LogConfigurator.registerErrorListener();
    Environment environment = arguments.prepareEnvironment();
    LogConfigurator.setNodeName(arguments.nodeName());
    LogConfigurator.configure(environment);
    ModularNode node = new ModularNode(environment, arguments.plugins());
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node, closed), "node-close"));
    node.start();
    out.println(node.describe());
    out.flush();
    closed.await();
  }

  private static void close(ModularNode node, CountDownLatch closed) {
    try {
      node.close();
      node.awaitClose(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (IOException | InterruptedException failure) {
      LogManager.getLogger(DataNodeMain.class).warn("the node did not close in order", failure);
    } finally {
      closed.countDown();
    }
  }

  private static void haltAtEndOf(InputStream lifeLine) {
    Thread watcher =
        new Thread(
            () -> {
              try {
                while (lifeLine.read() >= 0) {
                  // Nothing is ever said on the life line; what arrives is ignored.
                }
              } catch (IOException broken) {
                // A broken life line is an ended one.
              }
              Runtime.getRuntime().halt(EXIT_ORPHANED);
            },
            "life-line");
    watcher.setDaemon(true);
    watcher.start();
  }
}
