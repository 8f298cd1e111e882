/**
 * A log of intents on disk: what a process is about to do, so that another one knows what it may
 * have left half done. An intent is recorded before the work and cleared after it. The intents of a
 * process that ended without clearing them are read by {@link
 * dev.weir.bluegreen.intent.OrphanedIntents}. The log does not know what intents mean. Event loops
 * may record and clear; a thread of the log writes.
 */
@NullMarked
package dev.weir.bluegreen.intent;

import org.jspecify.annotations.NullMarked;
