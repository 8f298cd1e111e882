package dev.weir.advice.finding;

/**
 * One thing that a check found.
 *
 * @param check the check's name
 * @param subject the index, node, tenant or setting; {@code cluster} for the whole cluster
 * @param figure what was measured, with its unit and the threshold
 * @param reason why it matters
 * @param mend what changes it
 */
public record Finding(
    String check, Severity severity, String subject, String figure, String reason, Mend mend) {}
