package dev.weir.gateway.actions.dual;

import dev.weir.gateway.parse.ActionExecutor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where writes are repeated, as the policy in force says.
 *
 * @param from the cluster that they are written to first
 * @param to the other one
 * @param executor carries actions out there; null while it can't be reached
 * @param names how what lies in {@code from} is called there
 * @param timeout how long an answer waits for it
 * @param log keeps what it does not have
 */
public record DualTarget(
    String from,
    String to,
    @Nullable ActionExecutor executor,
    DualNames names,
    Duration timeout,
    RepairLog log) {}
