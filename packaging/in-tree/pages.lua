-- SPDX-License-Identifier: GPL-2.0-only
--
-- A pandoc filter for pages that leave docs/: links to its other files become
-- plain text, headings make no labels, which Sphinx wants to be unique, and do
-- not shout, as a manual's do, and cells of tables are not wrapped, as literals
-- must not be.

function Link(link)
	if link.target:match('^#') or link.target:match('^https?:') then
		return link
	end
	return link.content
end

function Header(header)
	local text = pandoc.utils.stringify(header)

	header.identifier = ''
	if text == text:upper() then
		header.content = { pandoc.Str(text:sub(1, 1) .. text:sub(2):lower()) }
	end
	return header
end

function Table(table)
	for _, column in ipairs(table.colspecs) do
		column[2] = nil
	end
	-- A column without any text would have no width, which RST does not know.
	for _, row in ipairs(table.head.rows) do
		for _, cell in ipairs(row.cells) do
			if #cell.contents == 0 then
				cell.contents = { pandoc.Plain({ pandoc.Str('-') }) }
			end
		end
	end
	return table
end
