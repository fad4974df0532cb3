ALTER TABLE `agents` ADD `own_page_only` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `agents` ADD `network` text;