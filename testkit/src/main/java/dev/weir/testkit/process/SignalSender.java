package dev.weir.testkit.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Sends SIGSTOP and SIGCONT to one process, and sees to it that the process does not stay stopped
 * when we die.
 *
 * <p>A stopped process cannot notice that its parent is gone. So the signals are sent by a shell
 * that reads one letter a line from a pipe which only we hold: however we end, it reads end of
 * file, resumes the process and exits. It ignores the terminal's signals, which reach the whole
 * process group.
 *
 * <p>Safe for use by several threads.
 */
public final class SignalSender implements AutoCloseable {
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP QUIT
      while read -r what; do
        case $what in
          s) kill -STOP "$1" ;;
          c) kill -CONT "$1" ;;
        esac
      done 2>/dev/null
      kill -CONT "$1" 2>/dev/null
      """;

  private final long pid;
  private final Process shell;
  private final OutputStream commands;

  /**
   * Prepares to signal a process.
   *
   * @param pid the process
   */
  public SignalSender(long pid) {
    this.pid = pid;
    try {
      shell =
          new ProcessBuilder("/bin/sh", "-c", SCRIPT, "weir-signals", Long.toString(pid))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start /bin/sh to signal process " + pid, e);
    }
    commands = shell.getOutputStream();
  }

  /** Stops the process, as if its machine stood still. */
  public void stop() {
    send('s');
  }

  /** Resumes the process. */
  public void resume() {
    send('c');
  }

  private synchronized void send(char letter) {
    try {
      commands.write(new byte[] {(byte) letter, '\n'});
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the shell that signals process " + pid + " is gone (alive: " + shell.isAlive() + ")", e);
    }
  }

  /** Resumes the process and ends. */
  @Override
  public void close() {
    try {
      commands.close();
      shell.waitFor();
    } catch (IOException gone) {
      // It has ended, and has resumed the process on its way out.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
