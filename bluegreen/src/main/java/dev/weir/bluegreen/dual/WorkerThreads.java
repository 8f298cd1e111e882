package dev.weir.bluegreen.dual;

import java.util.List;

/** Threads that share the work of one caller. */
public final class WorkerThreads {
  private WorkerThreads() {}

  /** Waits for all of them; an interrupt of the caller interrupts them too. */
  public static void join(List<Thread> workers) throws InterruptedException {
    try {
      for (Thread worker : workers) {
        worker.join();
      }
    } catch (InterruptedException e) {
      workers.forEach(Thread::interrupt);
      throw e;
    }
  }
}
