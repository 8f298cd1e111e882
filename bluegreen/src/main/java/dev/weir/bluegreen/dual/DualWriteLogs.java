package dev.weir.bluegreen.dual;

import org.jspecify.annotations.Nullable;

/**
 * The logs of dual writes under a policy.
 *
 * @param repairLog records what the target may lack
 * @param intents records writes before they leave; null for no such log
 */
public record DualWriteLogs(RepairLog repairLog, @Nullable IntentRecorder intents) {}
