DROP INDEX `agents_online`;--> statement-breakpoint
CREATE INDEX `agents_online` ON `agents` (`status`) WHERE status = 'online';