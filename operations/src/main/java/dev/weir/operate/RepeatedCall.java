package dev.weir.operate;

import dev.weir.client.OversizedResponseException;
import dev.weir.client.RestTarget;
import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * Calls that may be repeated: without a response, or with one that says that the trouble passes,
 * they are sent again, to one target after the other. Safe on any thread.
 *
 * @param targets the first that answers is used
 * @param timeout how long a call is repeated
 */
record RepeatedCall(List<RestTarget> targets, Duration timeout) {
  private static final Set<Integer> TRANSIENT = Set.of(408, 429, 502, 503, 504);
  private static final long PAUSE_MILLIS = 250;

  /** What has to hold before a call is sent again: minutes may have passed. */
  @FunctionalInterface
  interface Precondition {
    /** Holds always. */
    Precondition NONE = () -> {};

    /**
     * Checks it.
     *
     * @throws OperationException if the call must not be sent again
     */
    void check() throws OperationException, InterruptedException;
  }

  RepeatedCall {
    targets = List.copyOf(targets);
  }

  /** Whether a response says that the trouble passes. */
  static boolean isTransient(RestTarget.Response response) {
    return TRANSIENT.contains(response.status());
  }

  /** Sends a call whose repetition has no precondition. */
  RestTarget.Response send(
      String method, String path, @Nullable String json, Predicate<RestTarget.Response> isFinal)
      throws OperationException, InterruptedException {
    return send(method, path, json, isFinal, Precondition.NONE);
  }

  /**
   * Sends a call until there is a response to judge.
   *
   * @param json null for no body
   * @param isFinal accepts responses that are not repeated, although their status is transient
   * @param repetition checked before each attempt but the first
   * @return a success, a response that is final, or one with a status that is not transient
   * @throws OperationException without such a response in time, or if a repetition can't help
   */
  RestTarget.Response send(
      String method,
      String path,
      @Nullable String json,
      Predicate<RestTarget.Response> isFinal,
      Precondition repetition)
      throws OperationException, InterruptedException {
    String call = method + " " + path + " ";
    long end = System.nanoTime() + timeout.toNanos();
    for (int attempt = 0; ; attempt++) {
      RestTarget target = targets.get(attempt % targets.size());
      OperationException problem;
      try {
        RestTarget.Response response = target.send(method, path, json);
        if (response.isSuccess() || isFinal.test(response) || !isTransient(response)) {
          return response;
        }
        problem = new OperationException(call + response.problem());
      } catch (OversizedResponseException e) {
        throw new OperationException(call + e.getMessage(), e);
      } catch (IOException e) {
        if (isUntrusted(e)) {
          throw untrusted(target, e);
        }
        problem =
            new OperationException(
                call + "got no answer from " + target.base() + " (" + e + ")", e);
      }
      if (System.nanoTime() - end > 0) {
        throw problem;
      }
      Thread.sleep(PAUSE_MILLIS);
      repetition.check();
    }
  }

  /**
   * Whether the server's certificate is the trouble. Other handshakes fail because a server or a
   * proxy before it is just starting or ending.
   */
  private static boolean isUntrusted(IOException failure) {
    if (failure instanceof SSLException) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        if (cause instanceof CertificateException
            || cause instanceof CertPathBuilderException
            || cause instanceof CertPathValidatorException
            || cause instanceof SSLPeerUnverifiedException) {
          return true;
        }
      }
    }
    return false;
  }

  /** A certificate does not become valid by a repetition. */
  private static OperationException untrusted(RestTarget target, IOException cause) {
    return new OperationException(
        "no TLS connection to "
            + target.base()
            + " ("
            + cause.getMessage()
            + "): give the authorities of the gateways' certificates by --ca-file, and a host name"
            + " that the certificate has",
        cause);
  }
}
