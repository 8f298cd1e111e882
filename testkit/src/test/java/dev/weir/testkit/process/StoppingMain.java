package dev.weir.testkit.process;

/** Stops a process, says so, and waits to be killed. */
public final class StoppingMain {
  private StoppingMain() {}

  /**
   * Stops the process.
   *
   * @param args the process id
   */
  public static void main(String[] args) throws InterruptedException {
    SignalSender signals = new SignalSender(Long.parseLong(args[0]));
    signals.stop();
    System.out.println("stopped");
    Thread.currentThread().join();
  }
}
